import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// Parses the header lines that libcurl hands out: interim heads, the head, and the trailers after it.
struct ResponseHeadParser {
    enum Output {
        case incomplete
        case informational(HTTPResponse)
        case head(HTTPResponse, Info)
        /// The lines are not valid HTTP, or contradict each other.
        case malformed(String)
        case tooLarge
        case tooManyLines
    }

    /// The properties of the body that the head states.
    struct Info {
        var status = 0
        var contentLength: Int?
        var coding = BodyCoding()
    }

    private enum State {
        case beforeHead, inHead, afterHead
    }

    /// The number of lines that one response can have, in all its heads and trailers. Newer versions of libcurl have the same
    /// limit, and `HTTPFields` has one too.
    static let maximumLines = 5000
    /// The number of these lines that can continue the line before. Each of them copies the value so far.
    static let maximumContinuations = 100

    let maximumSize: Int
    private var state = State.beforeHead
    /// The parsed part of the head, unless a cached head matches.
    private var parsed: HTTPResponse?
    /// The trailers; `nil` before the first one.
    private(set) var trailers: HTTPFields?
    private var size = 0
    private var lineCount = 0
    private var continuationCount = 0
    /// The cached head of the origin, as long as the current head matches its first `matchedCount` bytes.
    private var cached: HeaderCache.Head?
    private var matchedCount = 0
    /// The lines that were parsed because no cached head matches; `nil` if they are too many for the cache.
    private var parsedLines: [UInt8]? = []

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Whether any line has come.
    var hasBegun: Bool { size > 0 }
    /// Whether the final head of the response has come.
    var hasHead: Bool { state == .afterHead }
    /// Whether the first lines of a head have come, but not the last.
    var isInHead: Bool { state == .inHead }

    /// - Parameter cache: the cached head of the same origin's responses.
    mutating func line(_ bytes: UnsafeRawBufferPointer, _ cache: HeaderCache? = nil) -> Output {
        size += bytes.count
        if size > maximumSize { return .tooLarge }
        guard let cache, state != .afterHead else { return parse(bytes, nil) }
        if state == .beforeHead {
            cached = cache.latest
            matchedCount = 0
            parsedLines = []
        }
        // `cached` is used in place, because a copy would be retained and released for each line.
        if let isNext = cached?.has(bytes, at: matchedCount) {
            if isNext { return advance(by: bytes.count) }
            parseAnew(cache)
        }
        return parse(recording: bytes, cache)
    }

    /// Parses whole lines, of one head at most.
    mutating func lines(_ bytes: UnsafeRawBufferPointer, _ cache: HeaderCache?) -> Output {
        if state == .inHead, cached?.has(bytes, at: matchedCount) == true {
            size += bytes.count
            return size > maximumSize ? .tooLarge : advance(by: bytes.count)
        }
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let output = line(UnsafeRawBufferPointer(rebasing: rest[...end]), cache)
            guard case .incomplete = output else { return output }
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? .incomplete : line(UnsafeRawBufferPointer(rebasing: rest), cache)
    }

    /// Accepts lines that match the cached head.
    private mutating func advance(by count: Int) -> Output {
        matchedCount += count
        state = .inHead
        guard matchedCount == cached?.bytes.count, let cached = cached.take() else { return .incomplete }
        state = .afterHead
        return .head(cached.head, cached.info)
    }

    /// Parses the lines so far of a head that differs from the cached one.
    private mutating func parseAnew(_ cache: HeaderCache) {
        guard let cached = cached.take() else { return }
        state = .beforeHead
        for line in cached.bytes[..<matchedCount].split(separator: 10) {
            _ = (line + [10]).withUnsafeBytes { parse(recording: $0, cache) }
        }
    }

    private mutating func parse(recording bytes: UnsafeRawBufferPointer, _ cache: HeaderCache) -> Output {
        if let count = parsedLines?.count, count + bytes.count <= HeaderCache.largest {
            parsedLines?.append(contentsOf: bytes)
        } else {
            parsedLines = nil
        }
        let output = parse(bytes, cache)
        if case .head(let head, let info) = output, let parsedLines = parsedLines.take() {
            cache.latest = HeaderCache.Head(parsedLines, head, info)
        }
        return output
    }

    private mutating func parse(_ bytes: UnsafeRawBufferPointer, _ cache: HeaderCache?) -> Output {
        var line = bytes[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        lineCount += 1
        let isContinuation = Self.isBlank(line.first)
        if isContinuation { continuationCount += 1 }
        if lineCount > Self.maximumLines || continuationCount > Self.maximumContinuations { return .tooManyLines }
        switch state {
        case .beforeHead:
            guard let status = Self.status(line) else {
                return .malformed("the response does not begin with a status line of HTTP")
            }
            parsed = HTTPResponse(status: status)
            state = .inHead
        case .inHead where line.isEmpty:
            return endHead()
        case .inHead where isContinuation && parsed?.headerFields.isEmpty != false:
            // RFC 9112, section 2.2.
            return .malformed("the response's first header line is a continuation")
        case .inHead where line.first == 13:
            // RFC 9112, section 2.2. libcurl treats it as the end of the head.
            return .malformed("a header line of the response begins with a carriage return")
        case .inHead:
            guard parsed == nil || Self.append(line, to: &parsed!.headerFields, cache) else {
                return .malformed(
                    "a field that says how long the response is, or how it is encoded, is not written as one")
            }
        case .afterHead:
            guard !line.isEmpty else { break }
            if trailers == nil { trailers = HTTPFields() }
            _ = Self.append(line, to: &trailers!, nil)
        }
        return .incomplete
    }

    private mutating func endHead() -> Output {
        guard var head = parsed.take() else { return .incomplete }
        if head.status.code == 101 {
            // RFC 9110, section 7.8: the client has not asked for another protocol.
            return .malformed("the server changes to another protocol, which was not asked for")
        }
        if head.status.kind == .informational {
            state = .beforeHead
            return .informational(head)
        }
        state = .afterHead
        var length: Int?
        let coding = BodyCoding(head.headerFields)
        let isLengthOverridden = head.headerFields.contains(.transferEncoding) && !coding.isTransferIdentity
        // RFC 9112, section 6.3: the length does not count if there are chunks. `identity` of RFC 2616 is not a coding.
        // A 204 has no length (RFC 9110 section 8.6).
        if isLengthOverridden || head.status == .noContent { head.headerFields[.contentLength] = nil }
        // RFC 9110, section 8.6: a length that is repeated, also within a list, counts as one.
        for text in head.headerFields[values: .contentLength].joined(separator: ",").split(separator: ",") {
            guard let number = Self.length(text) else {
                return .malformed("the length that the response states is no number")
            }
            guard length ?? number == number else {
                return .malformed("the response states two different lengths of its body")
            }
            length = number
        }
        return .head(head, Info(status: head.status.code, contentLength: length, coding: coding))
    }

    // The check is strict: libcurl uses what it can parse of the length, or reads to the end of the connection.
    private static func length(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        let rest = text[digits.endIndex...]
        return rest.allSatisfy { $0 == " " || $0 == "\t" } ? Int(digits: digits) : nil
    }

    /// Parses `HTTP/1.1 200 OK`. The reason is optional, and so is the space before it.
    private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> HTTPResponse.Status? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let code = line[line.index(after: space)...].prefix(3)
        let rest = line[code.endIndex...]
        guard code.count == 3, code.allSatisfy({ (48...57).contains($0) }), rest.first ?? 32 == 32 else { return nil }
        let number = code.reduce(0) { $0 * 10 + Int($1 - 48) }
        guard number >= 100 else { return nil }
        return HTTPResponse.Status(code: number, reasonPhrase: String(decoding: rest.dropFirst(), as: UTF8.self))
    }

    /// Appends the field of a line. A line that is not a field is left out, as in browsers.
    ///
    /// - Returns: whether libcurl reads the same field in the line.
    private static func append(
        _ line: Slice<UnsafeRawBufferPointer>, to fields: inout HTTPFields, _ cache: HeaderCache?
    ) -> Bool {
        let line = UnsafeRawBufferPointer(rebasing: line)
        if isBlank(line.first), let last = fields.indices.last {
            // RFC 9112, section 5.2: the line continues the one before.
            fields[last].value += " " + String(decoding: trimmed(line, from: 0), as: UTF8.self)
            return !isRead(fields[last].name)
        }
        guard let start = line.baseAddress, let end = memchr(start, 58, line.count) else { return true }
        let colon = UnsafeRawPointer(end) - start
        var bytes = UnsafeRawBufferPointer(rebasing: line[..<colon])
        // RFC 9112, section 5.1: blanks before the colon are removed. libcurl keeps them.
        let isApart = isBlank(bytes.last)
        while isBlank(bytes.last) { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast()) }
        guard
            let name = cache?.name(bytes) ?? HTTPField.Name(String(decoding: bytes, as: UTF8.self))
        else { return true }
        fields.append(field(name, trimmed(line, from: colon + 1)))
        return !isApart || !isRead(name)
    }

    /// Whether libcurl uses the field to read the body.
    private static func isRead(_ name: HTTPField.Name) -> Bool {
        name == .contentLength || name == .transferEncoding || name == .contentEncoding
    }

    /// The field with the text of `value`, or with its bytes if they are not UTF-8.
    private static func field(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) -> HTTPField {
        String(validating: value, as: UTF8.self).map { HTTPField(name: name, value: $0) }
            ?? HTTPField(name: name, value: value)
    }

    /// Whether the byte is a space or a tab.
    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 32 || byte == 9 }

    /// The bytes of a line from `start`, without the blanks at both ends.
    private static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
        var (start, end) = (start, line.count)
        while start < end, isBlank(line[start]) { start += 1 }
        while start < end, isBlank(line[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[start..<end])
    }
}
