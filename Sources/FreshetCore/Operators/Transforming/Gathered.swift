extension Observable {
    /// Reduces all elements to one result. Each subscription calls `begin` for its initial state, `take` with the state
    /// for each element, and `end` at the completion for the result. An error that `take` or `end` throws ends the
    /// stream.
    @inlinable
    package final func gathered<State, Result>(
        _ begin: @escaping @Sendable () -> State, take: @escaping @Sendable (inout State, Element) throws -> Void,
        end: @escaping @Sendable (State) throws -> Result
    ) -> Single<Result> {
        PrimitiveSequence(
            raw: linear { CollectSink(to: $0, begin(), take, end) })
    }
}

@usableFromInline
final class CollectSink<Element, State, Result>: ClosingOperatorSink<Element, Result> {
    private var state: State
    private let take: (inout State, Element) throws -> Void
    private let end: (State) throws -> Result

    @usableFromInline
    init(
        to downstream: Sink<Result>, _ state: State, _ take: @escaping (inout State, Element) throws -> Void,
        _ end: @escaping (State) throws -> Result
    ) {
        self.state = state
        self.take = take
        self.end = end
        super.init(to: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) {
        do { try take(&state, element) } catch { downstream.error(error) }
    }

    @usableFromInline
    override func completed() {
        do { finish(with: try end(state)) } catch { downstream.error(error) }
    }
}
