import HTTPTypes

/// Parses HTTP/1.1 requests from bytes as a server does: strictly, in linear time and bounded space.
///
/// The events of a request are its head, the pieces of its body, and its end. Source: RFC 9112.
struct RequestParser {
    enum Event {
        case head(RequestHead)
        case body(ArraySlice<UInt8>)
        case end(trailers: HTTPFields)
    }

    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
    }

    private let maximumHeadSize: Int
    private let maximumBodySize: Int
    private var state = State.head
    private var buffer: [UInt8] = []
    /// The index of the first byte that was not consumed, and the index up to which the end of a head was searched for.
    private var start = 0
    private var searched = 0
    private var bodySize = 0

    private static let maximumSizeLine = 1024

    init(maximumHeadSize: Int, maximumBodySize: Int) {
        self.maximumHeadSize = maximumHeadSize
        self.maximumBodySize = maximumBodySize
    }

    /// The number of bytes that were not consumed yet.
    var waiting: Int { buffer.count - start }

    mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0, start == buffer.count || start > 64 * 1024 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer += bytes
    }

    /// Returns the next event, or `nil` if more bytes are needed. After an error the connection can't be used any more.
    mutating func next() throws(RequestRefusal) -> Event? {
        while true {
            switch state {
            case .head:
                return try head()
            case .body(left: 0):
                state = .head
                return .end(trailers: [:])
            case .body(let left):
                guard let piece = consume(atMost: left) else { return nil }
                state = .body(left: left - piece.count)
                return .body(piece)
            case .chunkSize:
                guard let size = try chunkSize() else { return nil }
                bodySize += size
                try checkBodySize(bodySize)
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(left: 0):
                state = .chunkEnd
            case .chunk(let left):
                guard let piece = consume(atMost: left) else { return nil }
                state = .chunk(left: left - piece.count)
                return .body(piece)
            case .chunkEnd:
                guard waiting >= 2 else { return nil }
                guard buffer[start] == 13, buffer[start + 1] == 10 else {
                    throw .badRequest("a chunk is longer than its size says")
                }
                consume(2)
                state = .chunkSize
            case .trailers:
                guard let section = try section(limit: maximumHeadSize) else { return nil }
                var lines = section.lines()
                state = .head
                return .end(trailers: try HTTPFields(parsing: &lines))
            }
        }
    }

    private mutating func head() throws(RequestRefusal) -> Event? {
        // Empty lines before a request are allowed, because some clients send one after a body.
        while waiting >= 2, buffer[start] == 13, buffer[start + 1] == 10 { consume(2) }
        guard waiting > 0, let section = try section(limit: maximumHeadSize) else { return nil }
        let head = try RequestHead(parsing: section)
        bodySize = 0
        switch head.framing {
        case .length(let length):
            try checkBodySize(length)
            state = .body(left: length)
        case .chunked:
            state = .chunkSize
        }
        return .head(head)
    }

    private func checkBodySize(_ size: Int) throws(RequestRefusal) {
        if size > maximumBodySize {
            throw RequestRefusal(status: .contentTooLarge, reason: "the body has more than \(maximumBodySize) bytes")
        }
    }

    /// Returns the lines up to an empty line, and consumes the empty line too.
    private mutating func section(limit: Int) throws(RequestRefusal) -> ArraySlice<UInt8>? {
        if waiting >= 2, buffer[start] == 13, buffer[start + 1] == 10 {
            consume(2)
            return []
        }
        var index = max(searched, start)
        while index + 3 < buffer.count {
            if buffer[index] == 13, buffer[index + 1] == 10, buffer[index + 2] == 13, buffer[index + 3] == 10 {
                let section = buffer[start..<index + 2]
                guard section.count <= limit else { break }
                consume(index + 4 - start)
                return section
            }
            index += 1
        }
        searched = index
        if waiting > limit || index + 3 < buffer.count {
            throw RequestRefusal(
                status: .requestHeaderFieldsTooLarge, reason: "the header has more than \(limit) bytes")
        }
        return nil
    }

    private mutating func chunkSize() throws(RequestRefusal) -> Int? {
        let end = buffer[start...].prefix(Self.maximumSizeLine).firstIndex(of: 10)
        guard let end else {
            if waiting >= Self.maximumSizeLine { throw .badRequest("the line with a chunk's size is too long") }
            return nil
        }
        let line = buffer[start..<end]
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 13 }.trimmed()
        guard line.last == 13, digits.count <= 15, digits.first.map({ $0 != UInt8(ascii: "-") }) == true,
            digits.first != UInt8(ascii: "+"), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .badRequest("a chunk's size is not a hexadecimal number") }
        consume(end + 1 - start)
        return size
    }

    private mutating func consume(atMost count: Int) -> ArraySlice<UInt8>? {
        guard waiting > 0 else { return nil }
        let piece = buffer[start..<start + min(count, waiting)]
        consume(piece.count)
        return piece
    }

    private mutating func consume(_ count: Int) {
        start += count
        searched = start
    }
}
