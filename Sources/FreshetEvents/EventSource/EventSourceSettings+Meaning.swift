import FreshetHTTP

extension EventSource.Settings {
    /// What an event means for the stream.
    enum Meaning {
        case event(isLast: Bool)
        /// The event only shows that the server is alive.
        case keepAlive
        /// The event ends the stream and is not delivered.
        case end
        case failure(any Error)
    }

    /// Whether every event is delivered and has no other meaning.
    var deliversAllEvents: Bool { terminator == nil && failure == nil && ignoredTypes.isEmpty && lastTypes.isEmpty }

    /// Whether the end of the response ends an event that has no blank line after it. The standard discards such an event,
    /// and the next connection receives it again. After a response that is produced once, there is no next connection.
    var endsLastEvent: Bool {
        switch reconnection {
        case .untilFirstEvent: true
        case .never: requiresTerminator
        case .onceOpen, .always: false
        }
    }

    func meaning(of event: ServerSentEvent) -> Meaning {
        if let terminator, event.data == terminator { return .end }
        if let error = failure?(event) { return .failure(error) }
        if !ignoredTypes.isEmpty, ignoredTypes.contains(event.type) { return .keepAlive }
        return .event(isLast: !lastTypes.isEmpty && lastTypes.contains(event.type))
    }
}
