import FreshetHTTP

/// Parses the bytes of an event stream into events, in pieces of any size. It does no I/O, takes linear time, and its memory is
/// bounded.
///
/// Source: the WHATWG HTML standard, section 9.2.6, whose steps are quoted at the branches. One parser serves one
/// connection. "Once the end of the file is reached, any pending data must be discarded": the parser is discarded with the
/// connection.
///
/// ```swift
/// var parser = ServerSentEventParser()
/// try parser.parse(Array("data: a\n\n".utf8)) { print($0.data) }
/// ```
public struct ServerSentEventParser: Sendable {
    private let limit: Int
    private var fields: EventFields
    /// The beginning of a line from earlier pieces.
    private var begun = ByteAccumulator()
    private var isAtStart = true
    private var skipsLineFeed = false

    /// Creates a parser at the beginning of a response.
    ///
    /// - Parameters:
    ///   - lastEventID: the last event ID of an earlier connection. The standard begins each connection with an empty buffer, and
    ///     also requires the string to remain "until the next time it is set by the server". This parser keeps it, as browsers
    ///     do.
    ///   - limit: the largest line, and the largest data of an event, in bytes.
    public init(lastEventID: String = "", limit: Int = 64 * 1024 * 1024) {
        self.limit = limit
        fields = EventFields(lastEventID: lastEventID, limit: limit)
    }

    /// The last event ID string, to be sent as `Last-Event-ID` when the stream is opened again.
    public var lastEventID: String { fields.lastEventID }
    /// The reconnection time that the server has set, at most a year; `nil` if it has set none.
    public var reconnectionTime: Duration? { fields.reconnectionTime }

    /// Where the events come from; empty if that is not known.
    var origin: String { fields.origin }

    /// Sets the origin of the events, and what decodes them where a call names no decoder.
    mutating func begin(from origin: String, decoder: (any BodyDecoder)? = nil) {
        fields.begin(from: origin, decoder: decoder)
    }

    /// Parses the next bytes, and passes each complete event to `emit`.
    ///
    /// - Throws: `HTTPClientError` with code `tooLarge` for a line or an event over the limit. The parser can't be used
    ///   afterwards.
    public mutating func parse(_ bytes: [UInt8], _ emit: (ServerSentEvent) -> Void) throws {
        try parse(bytes, emit, hearsComments: false) { _ in }
    }

    /// Parses the next bytes like ``parse(_:_:)``, and passes each comment to `comment`, without its colon and one space after
    /// that. Servers send comments to show that they are alive.
    public mutating func parse(
        _ bytes: [UInt8], comment: (String) -> Void, _ emit: (ServerSentEvent) -> Void
    ) throws {
        try parse(bytes, emit, hearsComments: true, comment)
    }

    /// "The stream must then be parsed by reading everything line by line, with a U+000D CARRIAGE RETURN U+000A LINE FEED
    /// (CRLF) character pair, a single U+000A LINE FEED (LF) character not preceded by a U+000D CARRIAGE RETURN (CR)
    /// character, and a single U+000D CARRIAGE RETURN (CR) character not followed by a U+000A LINE FEED (LF) character
    /// being the ways in which a line can end." A CR ends its line at once, whatever follows.
    private mutating func parse(
        _ piece: [UInt8], _ emit: (ServerSentEvent) -> Void, hearsComments: Bool, _ comment: (String) -> Void
    ) throws {
        try piece.withUnsafeBytes { buffer in
            guard let bytes = buffer.baseAddress, let first = buffer.first else { return }
            let count = buffer.count
            // The fields are copied also after an error, because the positions are valid in this piece only.
            defer { fields.store(in: bytes) }
            let ends = LineEnds(in: bytes, count: count)
            var start = skipsLineFeed && first == .lineFeed ? 1 : 0
            skipsLineFeed = false
            if isAtStart || !begun.isEmpty {
                let end = ends.next(from: start).index
                if end == count { return try store(piece, start..<count) }
                try store(piece, start..<end)
                if let text = try endBegun(), hearsComments { comment(text) }
                start = next(after: end, in: buffer)
            }
            while start < count {
                let byte = bytes.load(fromByteOffset: start, as: UInt8.self)
                if byte == .lineFeed {
                    fields.dispatch(in: bytes, emit)
                    start += 1
                    continue
                }
                let end = ends.next(from: start)
                if end.index - start > limit { throw EventStreamLimit.exceeded(by: "line", limit) }
                if end.index == count {
                    try store(piece, start..<count)
                    break
                }
                if end.index == start {
                    fields.dispatch(in: bytes, emit)
                } else if let value = EventLine.data(in: bytes, from: start, to: end, count: count) {
                    try fields.append(value, in: bytes)
                } else {
                    let line = EventLine(in: bytes, from: start, to: end.index, count: count, isASCII: end.isASCII)
                    if let text = try fields.process(line), hearsComments { comment(text.text(in: bytes)) }
                }
                start = next(after: end.index, in: buffer)
            }
        }
    }

    /// Returns the index of the next line.
    @inline(__always)
    private mutating func next(after end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        let next = end + 1
        guard bytes[end] == .carriageReturn else { return next }
        guard next < bytes.count else {
            skipsLineFeed = true
            return next
        }
        return bytes[next] == .lineFeed ? next + 1 : next
    }

    private mutating func store(_ piece: [UInt8], _ range: Range<Int>) throws {
        if begun.count + range.count > limit { throw EventStreamLimit.exceeded(by: "line", limit) }
        begun.append(ByteAccumulator.Block(bytes: piece, range: range))
    }

    /// Processes the line that began in earlier pieces, or the first line.
    ///
    /// - Returns: the comment, if the line is one.
    private mutating func endBegun() throws -> String? {
        // "The UTF-8 decode algorithm strips one leading UTF-8 Byte Order Mark (BOM), if any."
        let mark = isAtStart && begun.withFirst { $0.starts(with: [0xEF, 0xBB, 0xBF]) } ? 3 : 0
        isAtStart = false
        // Long data is not copied.
        if begun.isLong, let skipped = begun.withFirst({ Self.dataStart(in: $0, from: mark) }) {
            try fields.appendLine(begun, droppingFirst: skipped)
            begun.removeAll()
            return nil
        }
        return try begun.removeBytes().withUnsafeBytes { buffer in
            // A blank first line has nothing to process.
            guard let bytes = buffer.baseAddress, buffer.count > mark else { return nil }
            let line = EventLine(in: bytes, from: mark, to: buffer.count, count: buffer.count, isASCII: false)
            defer { fields.store(in: bytes) }
            return try fields.process(line)?.text(in: bytes)
        }
    }

    /// Returns the index of the value if these bytes begin a line of data.
    private static func dataStart(in buffer: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let bytes = buffer.baseAddress else { return nil }
        let line = EventLine(in: bytes, from: start, to: buffer.count, count: buffer.count, isASCII: false)
        return line.field == .data ? line.value.start : nil
    }
}
