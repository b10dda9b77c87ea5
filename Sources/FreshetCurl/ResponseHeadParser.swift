import HTTPTypes

/// Puts the header lines that libcurl hands out together: interim heads, the head, and after it the trailers.
struct ResponseHeadParser {
    enum Output {
        case incomplete
        case informational(HTTPResponse)
        case head(HTTPResponse, Info)
        /// What came is no HTTP, or is more than one message can say.
        case malformed(String)
        case tooLarge
    }

    /// What the head says of the body.
    struct Info {
        var contentLength: Int?
        var coding = BodyCoding()
    }

    private enum State {
        case beforeHead, inHead, afterHead
    }

    let maximumSize: Int
    private(set) var trailers = HTTPFields()
    private var state = State.beforeHead
    private var status = HTTPResponse.Status.ok
    private var fields = HTTPFields()
    private var size = 0

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    mutating func line(_ bytes: UnsafeRawBufferPointer) -> Output {
        size += bytes.count
        if size > maximumSize { return .tooLarge }
        var line = bytes[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        switch state {
        case .beforeHead:
            guard let status = Self.status(line) else {
                return .malformed("the answer does not begin with a status line of HTTP")
            }
            self.status = status
            fields = HTTPFields()
            state = .inHead
        case .inHead where line.isEmpty:
            return endHead()
        case .inHead where fields.isEmpty && (line.first == 32 || line.first == 9):
            // RFC 9112, section 2.2.
            return .malformed("the answer's first header line continues none")
        case .inHead:
            Self.append(line, to: &fields)
        case .afterHead:
            if !line.isEmpty { Self.append(line, to: &trailers) }
        }
        return .incomplete
    }

    private mutating func endHead() -> Output {
        let head = HTTPResponse(status: status, headerFields: fields)
        fields = HTTPFields()
        if status.code == 101 {
            // RFC 9110, section 7.8: nobody has asked for another protocol.
            return .malformed("the server changes to another protocol, which was not asked for")
        }
        if status.kind == .informational {
            state = .beforeHead
            return .informational(head)
        }
        state = .afterHead
        var length: Int?
        // RFC 9112, section 6.3: where there are chunks the length says nothing.
        if !head.headerFields.contains(.transferEncoding) {
            // RFC 9110, section 8.6: one that is repeated, also as a list, is one.
            for text in head.headerFields[values: .contentLength].joined(separator: ",").split(separator: ",") {
                guard let number = Self.length(text) else {
                    return .malformed("the length that the answer states is no number")
                }
                guard length ?? number == number else {
                    return .malformed("the answer states two different lengths of its body")
                }
                length = number
            }
        }
        return .head(head, Info(contentLength: length, coding: BodyCoding(head.headerFields)))
    }

    // libcurl takes what can be read of it for the length, or ends the body where the connection ends.
    private static func length(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        let rest = text[digits.endIndex...]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), rest.allSatisfy({ $0 == " " || $0 == "\t" }) else {
            return nil
        }
        return Int(digits)
    }

    /// `HTTP/1.1 200 OK`; the reason is optional, and so is its space.
    private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> HTTPResponse.Status? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let code = line[line.index(after: space)...].prefix(3)
        let rest = line[code.endIndex...]
        guard code.count == 3, code.allSatisfy({ (48...57).contains($0) }), rest.first ?? 32 == 32 else { return nil }
        let number = code.reduce(0) { $0 * 10 + Int($1 - 48) }
        guard number >= 100 else { return nil }
        return HTTPResponse.Status(code: number, reasonPhrase: String(decoding: rest.dropFirst(), as: UTF8.self))
    }

    // A line that is no field is left out, as browsers do.
    private static func append(_ line: Slice<UnsafeRawBufferPointer>, to fields: inout HTTPFields) {
        if line.first == 32 || line.first == 9, let last = fields.indices.last {
            // RFC 9112, section 5.2: the continuation of the line before.
            fields[last].value += " " + String(decoding: trimmed(line), as: UTF8.self)
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return }
        let value = String(decoding: trimmed(line[line.index(after: colon)...]), as: UTF8.self)
        fields.append(HTTPField(name: name, value: value))
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, first == 32 || first == 9 { bytes.removeFirst() }
        while let last = bytes.last, last == 32 || last == 9 { bytes.removeLast() }
        return bytes
    }
}
