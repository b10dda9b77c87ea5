import FreshetHTTP
import HTTPTypes

/// The head of a request, with what it says about the body and the connection. Source: RFC 9112 sections 2, 3, 6 and 9.3.
struct RequestHead {
    enum BodyFraming: Equatable {
        case length(Int)
        case chunked
    }

    var method: HTTPRequest.Method
    var target: String
    /// The minor version: 1 for HTTP/1.1.
    var minorVersion: Int
    var headers: HTTPFields
    var framing: BodyFraming
    var keepsAlive: Bool
    var expectsContinue: Bool
    var raw: [UInt8]

    var host: String { headers[.host] ?? "" }

    /// - Parameter bytes: the lines of the head, each with its CR LF, without the empty line.
    init(parsing bytes: ArraySlice<UInt8>) throws(RequestRefusal) {
        var lines = bytes.lines()
        guard let requestLine = lines.next() else { throw .badRequest("the head is empty") }
        let words = requestLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, let method = HTTPRequest.Method(String(decoding: words[0], as: UTF8.self)),
            !words[1].isEmpty, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .badRequest("the request line is malformed") }
        switch String(decoding: words[2], as: UTF8.self) {
        case "HTTP/1.1": minorVersion = 1
        case "HTTP/1.0": minorVersion = 0
        default: throw RequestRefusal(status: .httpVersionNotSupported, reason: "the version is not HTTP/1.1 or 1.0")
        }
        self.method = method
        target = String(decoding: words[1], as: UTF8.self)
        headers = try HTTPFields(parsing: &lines)
        raw = bytes + [13, 10]
        framing = try Self.framing(headers)
        guard minorVersion == 0 || headers[values: .host].count == 1 else {
            throw .badRequest("a request has exactly one Host field")
        }
        let options = headers[.connection]?.lowercased() ?? ""
        keepsAlive = minorVersion == 1 ? !options.contains("close") : options.contains("keep-alive")
        expectsContinue = minorVersion == 1 && headers[.expect]?.lowercased() == "100-continue"
    }

    private static func framing(_ headers: HTTPFields) throws(RequestRefusal) -> BodyFraming {
        let lengths = Set(headers[values: .contentLength])
        if let coding = headers[.transferEncoding] {
            guard lengths.isEmpty else { throw .badRequest("Transfer-Encoding and Content-Length come together") }
            guard coding.lowercased() == "chunked" else {
                throw RequestRefusal(status: .notImplemented, reason: "the transfer coding is not chunked")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .length(0) }
        guard lengths.count == 1, let length = Int(digits: text) else {
            throw .badRequest("Content-Length is not one number")
        }
        return .length(length)
    }
}

/// The reason why the server refuses a request, and the status with which the connection ends.
struct RequestRefusal: Error, Equatable {
    var status: HTTPResponse.Status
    var reason: String

    static func badRequest(_ reason: String) -> RequestRefusal {
        RequestRefusal(status: .badRequest, reason: reason)
    }
}

extension HTTPFields {
    /// Parses field lines up to the end of `lines`.
    init(parsing lines: inout LineIterator) throws(RequestRefusal) {
        self.init()
        while let line = lines.next() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { throw .badRequest("a header field has no valid name") }
            let value = line[(colon + 1)...].trimmed()
            // RFC 9110, section 5.5, allows a recipient to keep the other control characters, and browsers send them.
            guard !value.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw .badRequest("the value of \(name) holds CR, LF or NUL")
            }
            append(HTTPField(name: name, lenientValue: value))
        }
    }
}

extension HTTPField.Name {
    static let host = HTTPField.Name("Host")!
}

/// The lines of a head, without their CR LF.
struct LineIterator: IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        var end = rest.startIndex
        while end + 1 < rest.endIndex, rest[end] != 13 || rest[end + 1] != 10 { end += 1 }
        let line = end + 1 < rest.endIndex ? rest[..<end] : rest
        rest = rest[min(end + 2, rest.endIndex)...]
        return line
    }
}

extension ArraySlice<UInt8> {
    func lines() -> LineIterator { LineIterator(self) }

    func trimmed() -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 9 }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[first...last]
    }
}
