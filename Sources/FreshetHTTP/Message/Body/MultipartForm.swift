/// A form whose fields can be files, in the encoding that browsers use. Source: the HTML standard's multipart/form-data
/// encoding algorithm, RFC 7578.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("title", "Spring tide")
/// form.append("photo", file: "/tmp/tide.jpg", contentType: "image/jpeg")
/// client.post(url, body: .multipart(form))
/// ```
/// Files are read from disk while they are sent. Names can hold any character: a character that would end the name early is
/// escaped.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        var head: String
        var body: RequestBody
    }

    /// The separator between the parts. By default it is as random as a UUID, so that no part contains it.
    public let boundary: String
    private(set) var parts: [Part] = []
    private(set) var problem: HTTPClientError?

    /// Makes an empty form. Its boundary is random if none is given.
    ///
    /// - Parameter boundary: 1 to 70 letters, digits and `'()+_,-./:=?`, which no part may contain. Any other boundary makes
    ///   requests with this form fail with `invalidRequest`.
    public init(boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        if !Self.isBoundary(self.boundary) {
            problem = RequestBodySource.failure("the boundary can't be sent in a header", "leave it out")
        }
    }

    /// Whether the form has no fields yet.
    public var isEmpty: Bool { parts.isEmpty }

    /// Adds a field with a text, which is sent as it is, in UTF-8.
    public mutating func append(_ name: String, _ text: String) {
        append(name, .bytes(Array(text.utf8)))
    }

    /// Adds a file, under its own name unless `filename` gives another.
    public mutating func append(
        _ name: String, file path: String, filename: String? = nil, contentType: String = "application/octet-stream"
    ) {
        append(
            name, .file(path), filename: filename ?? path.split(separator: "/").last.map(String.init) ?? path,
            contentType: contentType)
    }

    /// Adds bytes as a file.
    public mutating func append(
        _ name: String, bytes: some Sequence<UInt8>, filename: String, contentType: String = "application/octet-stream"
    ) {
        append(name, .bytes([UInt8](bytes)), filename: filename, contentType: contentType)
    }

    /// Adds any body, including a stream, with or without the name of a file.
    ///
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - body: the value of the field.
    ///   - filename: the name of the file that the form states for the body.
    ///   - contentType: the type of the part; by default the body's own.
    public mutating func append(
        _ name: String, _ body: RequestBody, filename: String? = nil, contentType: String? = nil
    ) {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
        if let type = contentType ?? body.contentType {
            if !type.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                problem =
                    problem
                    ?? RequestBodySource.failure(
                        "a part's content type holds CR, LF or another control character", "take it out")
            }
            head += "\r\nContent-Type: \(type)"
        }
        parts.append(Part(head: head + "\r\n\r\n", body: body))
    }

    /// Escapes line breaks and quotation marks. They would end the name, and the rest of the name would pass for form data.
    static func escaped(_ name: String) -> String {
        var result: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x0A, 0x0D, 0x22: PercentEncoding.append(byte, to: &result)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func randomBoundary() -> String {
        func word() -> String {
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return "freshet-\(word())\(word())"
    }

    // Source: RFC 2046 section 5.1.1, without the space, which must not be the last character.
    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "'()+_,-./:=?".utf8.contains($0)
                }
            }
    }
}
