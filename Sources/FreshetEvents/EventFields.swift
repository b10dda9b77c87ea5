import FreshetHTTP

/// What the lines of a stream set: the data, event type and last event ID buffers. It performs the steps for each line.
///
/// Source: the WHATWG HTML standard, section 9.2.6.
struct EventFields: Sendable {
    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    /// The positions of the data lines in the current piece, the first and the rest, so that most events are made of them
    /// without a copy.
    private var first: EventLine.Value?
    private var more: [EventLine.Value] = []
    /// The data lines from earlier pieces, each with an LF, as in the standard's data buffer. If it has lines, `first` and
    /// `more` have none.
    private var data = ByteAccumulator()
    /// The number of bytes of data.
    private var count = 0
    private var hasType = false
    /// The kind of the latest event with a type, and the kind of events without one.
    private var kind: EventKind?
    private var usualKind: EventKind?
    private var typeBytes: [UInt8] = []
    private var hasID = false
    /// The last event ID buffer if `hasID` is `true`; otherwise its text has no meaning.
    private var idBuffer = ""

    init(lastEventID: String, limit: Int) {
        self.lastEventID = lastEventID
        self.limit = limit
    }

    /// The origin of the events, if it is known.
    var origin: String { usualKind?.origin ?? "" }

    /// Sets what all events share.
    mutating func begin(from origin: String, decoder: (any BodyDecoder)?) {
        usualKind = EventKind(EventKind.usualType, from: origin, decoder: decoder)
        kind = nil
    }

    /// Processes a line that is not blank.
    ///
    /// - Returns: the comment, if the line is one.
    @inline(__always)
    mutating func process(_ line: EventLine) throws -> EventLine.Value? {
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
            // Few streams have many types, and most events of a stream have the same type.
            if hasType, kind == nil || !value.equals(typeBytes, in: line.bytes) {
                kind = EventKind(value.text(in: line.bytes), like: usualKind)
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
    /// - Parameter bytes: the bytes of the current piece.
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
        //   return." After a data line without a value, the buffer is not empty, because it holds the line's LF.
        defer { hasType = false }
        let text: String
        if let first {
            text = more.isEmpty ? first.text(in: bytes) : joined(first, in: bytes)
            self.first = nil
        } else if !data.isEmpty {
            // 3. "If the data buffer's last character is a U+000A LINE FEED (LF) character, then remove the last character
            // from the data buffer."
            text = data.removeText(droppingLast: 1)
        } else {
            return
        }
        // 4., 5. "Initialize event's type attribute to "message", its data attribute to data, … and its lastEventId attribute
        // to the last event ID string of the event source." 6. "If the event type buffer has a value other than the empty
        // string, change the type of the newly created event to equal the value of the event type buffer." 7. "Set the data
        // buffer and the event type buffer to the empty string."
        if hasType {
            emit(ServerSentEvent(kind: kind, data: text, id: lastEventID))
        } else if let usualKind {
            emit(ServerSentEvent(kind: usualKind, data: text, id: lastEventID))
        } else {
            emit(ServerSentEvent(kind: nil, data: text, id: lastEventID))
        }
    }

    /// Adds a line of data.
    @inline(__always)
    mutating func append(_ value: EventLine.Value, in bytes: UnsafeRawPointer) throws {
        if first == nil, data.isEmpty {
            count = value.count
            first = value
        } else {
            appendAnother(value, in: bytes)
        }
        if count > limit { throw EventStreamLimit.exceeded(by: "event", limit) }
    }

    private mutating func appendAnother(_ value: EventLine.Value, in bytes: UnsafeRawPointer) {
        count += 1 + value.count
        if first != nil {
            more.append(value)
        } else {
            store(value, in: bytes)
        }
    }

    /// Adds a long line of data. The first `skipped` bytes of the line do not belong to its value.
    mutating func appendLine(_ pieces: ByteAccumulator, droppingFirst skipped: Int) throws {
        data.append(pieces, droppingFirst: skipped)
        count = data.count
        if count > limit { throw EventStreamLimit.exceeded(by: "event", limit) }
        data.append(.lineFeed)
    }

    /// Copies the parts of the current piece that are still needed.
    @inline(__always)
    mutating func store(in bytes: UnsafeRawPointer) {
        if first != nil { storeLines(in: bytes) }
    }

    @inline(never)
    private mutating func storeLines(in bytes: UnsafeRawPointer) {
        if let first { store(first, in: bytes) }
        for value in more { store(value, in: bytes) }
        first = nil
        more.removeAll(keepingCapacity: more.count <= 256)
    }

    private mutating func store(_ value: EventLine.Value, in bytes: UnsafeRawPointer) {
        data.append(UnsafeRawBufferPointer(value.bytes(in: bytes)))
        data.append(.lineFeed)
    }

    /// Joins the lines with LF. Malformed UTF-8 is replaced, and an LF is never a part of a longer sequence.
    private mutating func joined(_ first: EventLine.Value, in bytes: UnsafeRawPointer) -> String {
        defer { more.removeAll(keepingCapacity: more.count <= 256) }
        return String(unsafeUninitializedCapacity: count) { text in
            let text = UnsafeMutableRawBufferPointer(text)
            var end = first.copy(from: bytes, to: text, at: 0)
            for value in more {
                text[end] = .lineFeed
                end = value.copy(from: bytes, to: text, at: end + 1)
            }
            return end
        }
    }
}

enum EventStreamLimit {
    static func exceeded(by what: String, _ limit: Int) -> HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving,
            message:
                "a \(what) of the event stream has more than \(limit) bytes", recoverySuggestion: .raiseEventLimit
        )
    }
}
