import FreshetHTTP

/// Takes the bytes of an event stream, cut anywhere, and gives its events. No I/O, linear in the bytes, bounded in memory.
///
/// Source: the WHATWG HTML standard, section 9.2.6, whose steps are quoted at the branches. One parser serves one
/// connection; what is unfinished at its end is dropped with it, as the standard says.
public struct ServerSentEventParser: Sendable {
    /// The last event ID string, to be sent as `Last-Event-ID` when the stream is opened again.
    public private(set) var lastEventID: String
    /// The reconnection time that the server asked for.
    public private(set) var reconnectionTime: Duration?

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var idBuffer: String
    private var isAtStart = true
    private var skipsLineFeed = false

    /// - Parameters:
    ///   - lastEventID: where an earlier connection ended.
    ///   - limit: the largest line, and the largest data of an event, in bytes.
    public init(lastEventID: String = "", limit: Int = 64 * 1024 * 1024) {
        self.lastEventID = lastEventID
        self.limit = limit
        idBuffer = lastEventID
    }

    /// Takes the next bytes and hands each event that they complete to `emit`.
    ///
    /// - Throws: ``HTTPClientError`` with code `tooLarge` for a line or an event over the limit.
    public mutating func parse(_ bytes: [UInt8], _ emit: (ServerSentEvent) -> Void) throws {
        var start = 0
        // "Lines must be separated by either CRLF, a single LF, or a single CR." A CR may end one chunk and its LF begin
        // the next.
        for (index, byte) in bytes.enumerated() where byte == Self.lineFeed || byte == Self.carriageReturn {
            if byte == Self.lineFeed, skipsLineFeed, index == start {
                skipsLineFeed = false
                start = index + 1
                continue
            }
            try append(bytes[start..<index])
            skipsLineFeed = byte == Self.carriageReturn
            start = index + 1
            try endLine(emit)
        }
        if start < bytes.count {
            skipsLineFeed = false
            try append(bytes[start...])
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws {
        line += bytes
        if line.count > limit { throw tooLarge("line") }
    }

    private mutating func endLine(_ emit: (ServerSentEvent) -> Void) throws {
        defer { line.removeAll(keepingCapacity: line.capacity <= 4096) }
        // "One leading U+FEFF BYTE ORDER MARK character must be ignored if any are present."
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        // "If the line is empty (a blank line): dispatch the event."
        guard let first = line.first else { return dispatch(emit) }
        // "If the line starts with a U+003A COLON character: ignore the line."
        if first == Self.colon { return }
        // "Collect the characters before the first colon … If value starts with a space, remove it." Without a colon the
        // whole line is the name.
        let nameEnd = line.firstIndex(of: Self.colon) ?? line.endIndex
        var value = line[min(nameEnd + 1, line.endIndex)...]
        if value.first == Self.space { value.removeFirst() }
        try process(field: line[..<nameEnd], value: value)
    }

    /// "Process the field": names are compared literally, without case folding.
    private mutating func process(field: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws {
        switch String(decoding: field, as: UTF8.self) {
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "data":
            // "Append the field value to the data buffer, then append a single LF."
            if hasData { data.append(Self.lineFeed) }
            hasData = true
            data += value
            if data.count > limit { throw tooLarge("event") }
        case "id":
            // "If the field value does not contain U+0000 NULL, set the last event ID buffer to it."
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        case "retry":
            // "If the field value consists of only ASCII digits, interpret it as an integer in base ten."
            if !value.isEmpty, value.allSatisfy({ (48...57).contains($0) }),
                let milliseconds = Int(String(decoding: value, as: UTF8.self))
            {
                reconnectionTime = .milliseconds(milliseconds)
            }
        default:
            break
        }
    }

    /// "Dispatch the event."
    private mutating func dispatch(_ emit: (ServerSentEvent) -> Void) {
        // "Set the last event ID string of the event source to the value of the last event ID buffer", data or none.
        lastEventID = idBuffer
        defer {
            type = ""
            data.removeAll(keepingCapacity: data.capacity <= 4096)
            hasData = false
        }
        // "If the data buffer is an empty string, set the data buffer and the event type buffer to the empty string and
        // return." A `data` line, even an empty one, has put a line feed there.
        guard hasData else { return }
        emit(
            ServerSentEvent(
                type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: lastEventID))
    }

    private func tooLarge(_ what: String) -> HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving,
            message: "a \(what) of the event stream has more than \(limit) bytes; raise the limit if that is right")
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let colon = UInt8(ascii: ":")
    private static let space = UInt8(ascii: " ")
}
