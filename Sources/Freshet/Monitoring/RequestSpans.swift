import FreshetCore
import FreshetHTTP
import Tracing

/// Holds the spans of one request, one after the other.
final class RequestSpans: RequestTag {
    private struct State {
        var span: (any Span)?
        var latest: ServiceContext?
        var count = 0
        /// The events of layers from the time without a span.
        var events: [SpanEvent] = []
        var isClosed = false
    }

    let tracer: any Tracer
    /// The context of the subscriber's task.
    private let parent: ServiceContext?
    private let state = Locked(State())

    init(_ tracer: any Tracer, of parent: ServiceContext?) {
        self.tracer = tracer
        self.parent = parent
    }

    /// Returns the current span, or begins a new one. Returns `nil` if the request is over. A request that is prepared
    /// again before it was sent keeps its span.
    func span(
        of request: Request, _ begin: (Request, any Tracer, _ parent: ServiceContext?, _ resends: Int) -> any Span
    ) -> (any Span)? {
        let (known, count, isClosed) = state.withLock { ($0.span, $0.count, $0.isClosed) }
        if isClosed || known != nil { return known }
        let new = begin(request, tracer, parent, count)
        // The subscriber may have cancelled meanwhile, on another thread.
        let isLate = state.withLock { state in
            if !state.isClosed {
                state.span = new
                state.latest = new.context
                state.count += 1
            }
            return state.isClosed
        }
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        for event in events { new.addEvent(event) }
        if isLate { new.end() }
        return isLate ? nil : new
    }

    /// Adds an event to the current span, or keeps it for the next one.
    func add(_ event: SpanEvent) {
        let span = state.withLock { state in
            if state.span == nil { state.events.append(event) }
            return state.span
        }
        span?.addEvent(event)
    }

    /// The context of the latest span, whether that has ended or not. Before the first span, the context of the
    /// subscriber.
    var latest: ServiceContext? { state.withLock { $0.latest } ?? parent }

    func removeSpan() -> (any Span)? {
        state.withLock { state in
            defer { state.span = nil }
            return state.span
        }
    }

    /// Closes the request's spans. Later calls of `span` return `nil`.
    ///
    /// - Returns: the span that has not ended yet, which the caller ends, and the events that have come without a span or after
    ///   the last one.
    func close() -> (span: (any Span)?, events: [SpanEvent]) {
        state.withLock { state in
            state.isClosed = true
            defer { (state.span, state.events) = (nil, []) }
            return (state.span, state.events)
        }
    }
}
