import FreshetCore
import FreshetHTTP
import Tracing

/// The spans of one request, one after the other.
final class RequestSpans: RequestTag {
    private struct State {
        var span: (any Span)?
        var latest: ServiceContext?
        var count = 0
        var isClosed = false
    }

    let tracer: any Tracer
    /// What the subscriber's task had as its context.
    private let parent: ServiceContext?
    private let state = Locked(State())

    init(_ tracer: any Tracer, of parent: ServiceContext?) {
        self.tracer = tracer
        self.parent = parent
    }

    /// The span that is under way, or a new one; `nil` if the request is over. Of a request that is made final once more
    /// before it went out, the span stays.
    func span(
        of request: Request, _ begin: (Request, any Tracer, _ parent: ServiceContext?, _ resends: Int) -> any Span
    ) -> (any Span)? {
        let (known, count, isClosed) = state.withLock { ($0.span, $0.count, $0.isClosed) }
        if isClosed || known != nil { return known }
        let new = begin(request, tracer, parent, count)
        // The subscriber may have left meanwhile, on another thread.
        let isLate = state.withLock { state in
            if !state.isClosed {
                state.span = new
                state.latest = new.context
                state.count += 1
            }
            return state.isClosed
        }
        if isLate { new.end() }
        return isLate ? nil : new
    }

    /// The context of the span that began last, whether it has ended or not; before the first, the subscriber's.
    var latest: ServiceContext? { state.withLock { $0.latest } ?? parent }

    func removeSpan() -> (any Span)? {
        state.withLock { state in
            defer { state.span = nil }
            return state.span
        }
    }

    /// - Returns: a span that nobody has ended.
    func close() -> (any Span)? {
        state.withLock { $0.isClosed = true }
        return removeSpan()
    }
}
