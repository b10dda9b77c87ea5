/// A form whose fields may be files, as browsers send it. Source: the HTML standard's multipart/form-data encoding
/// algorithm, RFC 7578.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("title", "Spring tide")
/// form.append("photo", file: "/tmp/tide.jpg", contentType: "image/jpeg")
/// client.post(url, body: .multipart(form))
/// ```
/// Files are read from disk as they are sent. Names may hold anything: what would end them early is escaped.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        var head: String
        var body: RequestBody
    }

    /// What stands between the parts; by default as random as a UUID, so that no part holds it.
    public let boundary: String
    private(set) var parts: [Part] = []
    private(set) var problem: HTTPClientError?

    /// An empty form; its boundary is random if none is given.
    ///
    /// - Parameter boundary: 1 to 70 letters, digits and `'()+_,-./:=?`, which no part may hold. Any other makes requests
    ///   with this form fail with `invalidRequest`.
    public init(boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        if !Self.isBoundary(self.boundary) {
            problem = RequestBodySource.failure("the boundary is none that a header can hold", "leave it out")
        }
    }

    /// Whether there is nothing in it yet.
    public var isEmpty: Bool { parts.isEmpty }

    /// A field with a text, which goes out as it is, in UTF-8.
    public mutating func append(_ name: String, _ text: String) {
        append(name, .bytes(Array(text.utf8)))
    }

    /// A file, under its own name unless it is given another.
    public mutating func append(
        _ name: String, file path: String, filename: String? = nil, contentType: String = "application/octet-stream"
    ) {
        append(
            name, .file(path), filename: filename ?? path.split(separator: "/").last.map(String.init) ?? path,
            contentType: contentType)
    }

    /// Bytes as a file is sent.
    public mutating func append(
        _ name: String, bytes: [UInt8], filename: String, contentType: String = "application/octet-stream"
    ) {
        append(name, .bytes(bytes), filename: filename, contentType: contentType)
    }

    /// Anything that can be a body, a stream too, under the name of a file or without one.
    ///
    /// - Parameters:
    ///   - name: the field's.
    ///   - body: what is sent as its value.
    ///   - filename: the name of the file that it is said to be.
    ///   - contentType: the body's own by default.
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

    /// A line break or a quotation mark would end the name, and begin whatever the name says then.
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

    // Source: RFC 2046 section 5.1.1, but for the space, which could stand at no end.
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
