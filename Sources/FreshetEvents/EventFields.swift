import FreshetHTTP

/// What the lines of a stream say: the data, event type and last event ID buffers, and the steps for each line.
///
/// Source: the WHATWG HTML standard, section 9.2.6.
struct EventFields: Sendable {
    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    /// Where in the piece at hand the only line of data is, so that most events are made of it without a copy.
    private var only: EventLine.Value?
    /// The lines of data otherwise, each with an LF, as of the standard's data buffer.
    private var data = Pieces()
    private var hasType = false
    private var type = ""
    private var typeBytes: [UInt8] = []
    private var hasID = false
    /// Something else where `hasID` is false.
    private var idBuffer = ""

    init(lastEventID: String, limit: Int) {
        self.lastEventID = lastEventID
        self.limit = limit
    }

    /// Takes a line that is not blank.
    ///
    /// - Returns: the comment that it is.
    @inline(__always)
    mutating func take(_ line: EventLine) throws -> EventLine.Value? {
        // "If the line contains a U+003A COLON character (:): collect the characters on the line before the first U+003A
        // COLON character (:), and let field be that string."
        switch line.field {
        // "If the line starts with a U+003A COLON character (:): ignore the line."
        case .comment:
            return line.value
        // "If the field name is "data": append the field value to the data buffer, then append a single U+000A LINE FEED (LF)
        // character to the data buffer."
        case .data:
            try append(line.value, in: line.bytes)
        case .event, .id, .retry:
            set(line)
        // "Otherwise: the field is ignored."
        case .other:
            break
        }
        return nil
    }

    private mutating func set(_ line: EventLine) {
        let value = line.value
        switch line.field {
        // "If the field name is "event": set the event type buffer to the field value."
        case .event:
            hasType = !value.isEmpty
            // Few streams have many types, and most of a stream's events have the same.
            if hasType, !value.equals(typeBytes, in: line.bytes) {
                type = value.text(in: line.bytes)
                typeBytes = Array(value.bytes(in: line.bytes))
            }
        // "If the field name is "id": if the field value does not contain U+0000 NULL, then set the last event ID buffer to
        // the field value. Otherwise, ignore the field."
        case .id:
            guard !value.contains(0, in: line.bytes) else { return }
            idBuffer = value.text(in: line.bytes)
            hasID = true
        // "If the field name is "retry": if the field value consists of only ASCII digits, then interpret the field value as
        // an integer in base ten, and set the event stream's reconnection time to that integer. Otherwise, ignore the
        // field."
        case .retry:
            if let time = value.milliseconds(in: line.bytes) { reconnectionTime = .milliseconds(time) }
        case .comment, .data, .other:
            break
        }
    }

    /// "If the line is empty (a blank line): dispatch the event, as defined below."
    ///
    /// - Parameter bytes: of the piece at hand.
    @inline(__always)
    mutating func dispatch(in bytes: UnsafeRawPointer, _ emit: (ServerSentEvent) -> Void) {
        // 1. "Set the last event ID string of the event source to the value of the last event ID buffer. The buffer does not
        // get reset, so the last event ID string of the event source remains set to this value until the next time it is
        // set by the server."
        if hasID {
            swap(&lastEventID, &idBuffer)
            hasID = false
        }
        // 2. "If the data buffer is an empty string, set the data buffer and the event type buffer to the empty string and
        // return." A line of data with no value is no empty buffer: its LF is there.
        defer { hasType = false }
        let text: String
        if let only {
            text = only.text(in: bytes)
            self.only = nil
        } else if !data.isEmpty {
            // 3. "If the data buffer's last character is a U+000A LINE FEED (LF) character, then remove the last character
            // from the data buffer."
            text = data.takeText(droppingLast: 1)
        } else {
            return
        }
        // 4., 5. "Initialize event's type attribute to "message", its data attribute to data, … and its lastEventId attribute
        // to the last event ID string of the event source." 6. "If the event type buffer has a value other than the empty
        // string, change the type of the newly created event to equal the value of the event type buffer." 7. "Set the data
        // buffer and the event type buffer to the empty string."
        if hasType {
            emit(ServerSentEvent(type: type, data: text, id: lastEventID))
        } else {
            emit(ServerSentEvent(data: text, id: lastEventID))
        }
    }

    @inline(__always)
    private mutating func append(_ value: EventLine.Value, in bytes: UnsafeRawPointer) throws {
        if only == nil, data.isEmpty {
            if value.count > limit { throw EventStreamLimit.exceeded(by: "event", limit) }
            only = value
        } else {
            keepOnly(in: bytes)
            data.append(UnsafeRawBufferPointer(value.bytes(in: bytes)))
            try endData()
        }
    }

    /// Takes the rest of a long line of data, whose first `skipped` bytes are none of it.
    mutating func appendLine(_ pieces: Pieces, droppingFirst skipped: Int) throws {
        data.append(pieces, droppingFirst: skipped)
        try endData()
    }

    private mutating func endData() throws {
        if data.count > limit { throw EventStreamLimit.exceeded(by: "event", limit) }
        data.append(.lineFeed)
    }

    /// Keeps what of the piece at hand is still needed.
    mutating func keepOnly(in bytes: UnsafeRawPointer) {
        guard let value = only else { return }
        data.append(UnsafeRawBufferPointer(value.bytes(in: bytes)))
        data.append(.lineFeed)
        only = nil
    }
}

enum EventStreamLimit {
    static func exceeded(by what: String, _ limit: Int) -> HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving,
            message: "a \(what) of the event stream has more than \(limit) bytes; raise the limit if that is right")
    }
}
