import HTTPTypes

/// Encodes one response as HTTP/1.1: the head with the right framing, the pieces and the end. Source: RFC 9112 section 6.
struct ResponseEncoder {
    private enum Framing {
        case none, plain, chunked
    }

    private let framing: Framing
    /// Whether another request can follow on the connection.
    let keepsAlive: Bool
    /// The bytes of the head.
    let head: [UInt8]

    /// - Parameter keepsAlive: whether the client keeps the connection open.
    init(_ response: ScriptedResponse, method: HTTPRequest.Method, minorVersion: Int, keepsAlive: Bool) {
        var head = response.head(for: method)
        var keepsAlive = keepsAlive && !Self.closes(head.headerFields)
        if !response.hasBody(inResponseTo: method) {
            framing = .none
        } else if head.headerFields[.transferEncoding]?.lowercased().contains("chunked") == true {
            framing = .chunked
        } else if head.headerFields[.contentLength] != nil {
            framing = .plain
        } else if response.framing == .untilClose || minorVersion == 0 {
            framing = .plain
            keepsAlive = false
        } else {
            framing = .chunked
            head.headerFields[.transferEncoding] = "chunked"
        }
        if !keepsAlive, !Self.closes(head.headerFields) {
            head.headerFields.append(HTTPField(name: .connection, value: "close"))
        } else if keepsAlive, minorVersion == 0 {
            head.headerFields.append(HTTPField(name: .connection, value: "keep-alive"))
        }
        self.keepsAlive = keepsAlive
        self.head = Self.bytes(of: head)
    }

    init(_ response: ScriptedResponse, for request: RequestHead, isLast: Bool) {
        self.init(
            response, method: request.method, minorVersion: request.minorVersion,
            keepsAlive: request.keepsAlive && !isLast)
    }

    private static func closes(_ headers: HTTPFields) -> Bool {
        headers[.connection]?.lowercased().contains("close") == true
    }

    /// Returns the bytes of a head, final or interim.
    static func bytes(of response: HTTPResponse) -> [UInt8] {
        var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        write(response.headerFields, to: &text)
        return Array(text.utf8)
    }

    private static func write(_ fields: HTTPFields, to text: inout String) {
        for field in fields { text += "\(field.name.rawName): \(field.value)\r\n" }
        text += "\r\n"
    }

    func write(_ piece: [UInt8], to output: inout [UInt8]) {
        switch framing {
        case .none:
            break
        case .plain:
            output += piece
        case .chunked:
            output += String(piece.count, radix: 16).utf8
            output += [13, 10]
            output += piece
            output += [13, 10]
        }
    }

    func writeEnd(_ trailers: HTTPFields, to output: inout [UInt8]) {
        guard framing == .chunked else { return }
        var text = "0\r\n"
        Self.write(trailers, to: &text)
        output += text.utf8
    }
}
