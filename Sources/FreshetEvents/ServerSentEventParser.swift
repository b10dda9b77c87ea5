import FreshetHTTP

/// Takes the bytes of an event stream, cut anywhere, and gives its events. No I/O, linear in the bytes, bounded in memory.
///
/// Source: the WHATWG HTML standard, section 9.2.6, whose steps are quoted at the branches. One parser serves one
/// connection. "Once the end of the file is reached, any pending data must be discarded": it goes with the parser.
public struct ServerSentEventParser: Sendable {
    /// The last event ID string, to be sent as `Last-Event-ID` when the stream is opened again.
    public private(set) var lastEventID: String
    /// The reconnection time that the server asked for; a year, if it asked for more.
    public private(set) var reconnectionTime: Duration?

    private let limit: Int
    /// What of a line has come in earlier pieces.
    private var line: [UInt8] = []
    private var data = EventData()
    private var type = Self.message
    private var hasType = false
    private var idBuffer: String
    private var hasNewID = false
    private var isAtStart = true
    private var skipsLineFeed = false

    /// - Parameters:
    ///   - lastEventID: where an earlier connection ended. The standard begins each with an empty buffer, and yet wants the
    ///     string to remain "until the next time it is set by the server": it does, as in browsers.
    ///   - limit: the largest line, and the largest data of an event, in bytes.
    public init(lastEventID: String = "", limit: Int = 64 * 1024 * 1024) {
        self.lastEventID = lastEventID
        self.limit = limit
        idBuffer = lastEventID
    }

    /// Takes the next bytes and hands each event that they complete to `emit`.
    ///
    /// - Throws: `HTTPClientError` with code `tooLarge` for a line or an event over the limit. The parser is of no use
    ///   afterwards.
    public mutating func parse(_ bytes: [UInt8], _ emit: (ServerSentEvent) -> Void) throws {
        try bytes.withUnsafeBufferPointer { try parse($0, emit) }
    }

    /// "The stream must then be parsed by reading everything line by line, with a CRLF character pair, a single LF character
    /// not preceded by a CR character, and a single CR character not followed by an LF character being the ways in which a
    /// line can end." A CR ends its line at once, whatever comes next.
    private mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (ServerSentEvent) -> Void) throws {
        guard let base = bytes.baseAddress, let first = bytes.first else { return }
        var start = skipsLineFeed && first == .lineFeed ? 1 : 0
        skipsLineFeed = false
        var ends = LineEnds(in: bytes)
        while let end = ends.next(from: start) {
            try endLine(with: UnsafeBufferPointer(start: base + start, count: end - start), emit)
            start = end + 1
            guard bytes[end] == .carriageReturn else { continue }
            if start == bytes.count {
                skipsLineFeed = true
            } else if bytes[start] == .lineFeed {
                start += 1
            }
        }
        if start < bytes.count { try keep(UnsafeBufferPointer(start: base + start, count: bytes.count - start)) }
    }

    private mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        if line.count + bytes.count > limit { throw tooLarge("line") }
        line.append(contentsOf: bytes)
    }

    private mutating func endLine(with rest: UnsafeBufferPointer<UInt8>, _ emit: (ServerSentEvent) -> Void) throws {
        if line.isEmpty {
            if rest.isEmpty, !isAtStart { return dispatch(emit) }
            if rest.count > limit { throw tooLarge("line") }
            return try process(rest, emit)
        }
        try keep(rest)
        var whole: [UInt8] = []
        swap(&whole, &line)
        try whole.withUnsafeBufferPointer { try process($0, emit) }
        // The memory of a line that was not long serves again.
        if whole.capacity <= 4096 {
            whole.removeAll(keepingCapacity: true)
            swap(&whole, &line)
        }
    }

    private mutating func process(_ line: UnsafeBufferPointer<UInt8>, _ emit: (ServerSentEvent) -> Void) throws {
        var line = line
        // "The UTF-8 decode algorithm strips one leading UTF-8 Byte Order Mark (BOM), if any."
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropping(3) }
        }
        // "If the line is empty (a blank line): dispatch the event."
        guard let first = line.first else { return dispatch(emit) }
        // "If the line starts with a U+003A COLON character (:): ignore the line."
        if first == .colon { return }
        // "If the line contains a colon: collect the characters on the line before the first colon, and let field be that
        // string. … Otherwise: … using the whole line as the field name, and the empty string as the field value." No
        // field has a longer name than five letters.
        var nameEnd = 1
        while nameEnd < line.count, nameEnd < 6, line[nameEnd] != .colon { nameEnd += 1 }
        // "Collect the characters on the line after the first colon, and let value be that string. If value starts with a
        // U+0020 SPACE character, remove it from value."
        var valueStart = min(nameEnd + 1, line.count)
        if valueStart < line.count, line[valueStart] == .space { valueStart += 1 }
        let value = line.dropping(valueStart)
        // "Field names must be compared literally, with no case folding performed."
        switch nameEnd {
        case 4 where line.begins(with: "data"):
            // "Append the field value to the data buffer, then append a single LF character to the data buffer."
            if data.append(value) > limit { throw tooLarge("event") }
        case 2 where line.begins(with: "id"):
            // "If the field value does not contain U+0000 NULL, then set the last event ID buffer to the field value.
            // Otherwise, ignore the field."
            guard !value.contains(0) else { return }
            idBuffer = String(decoding: value, as: UTF8.self)
            hasNewID = true
        case 5 where line.begins(with: "event"):
            // "Set the event type buffer to field value."
            type = value.isEmpty ? Self.message : String(decoding: value, as: UTF8.self)
            hasType = true
        case 5 where line.begins(with: "retry"):
            // "If the field value consists of only ASCII digits, then interpret the field value as an integer in base ten,
            // and set the event stream's reconnection time to that integer. Otherwise, ignore the field."
            if let time = Self.milliseconds(value) { reconnectionTime = .milliseconds(time) }
        default:
            // "The field is ignored."
            break
        }
    }

    private mutating func dispatch(_ emit: (ServerSentEvent) -> Void) {
        // "Set the last event ID string of the event source to the value of the last event ID buffer", data or none.
        if hasNewID {
            lastEventID = idBuffer
            hasNewID = false
        }
        // "If the data buffer is an empty string, set the data buffer and the event type buffer to the empty string and
        // return." Then the event: "If the event type buffer has a value other than the empty string, change the type of
        // the newly created event to equal the value of the event type buffer."
        let type = type
        if hasType {
            self.type = Self.message
            hasType = false
        }
        if let data = data.take() { emit(ServerSentEvent(type: type, data: data, id: lastEventID)) }
    }

    private static let message = "message"

    /// A number that nobody would wait for is as good as a year.
    private static func milliseconds(_ digits: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            number = min(number * 10 + Int(digit - 48), 31_536_000_000)
        }
        return number
    }

    private func tooLarge(_ what: String) -> HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving,
            message: "a \(what) of the event stream has more than \(limit) bytes; raise the limit if that is right")
    }
}
