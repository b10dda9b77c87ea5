extension ObservableType {
    /// One result of all elements: `take` is given each, with what `begin` has made for this subscription, and `end` says
    /// at the completion what came of it. An error of either ends the stream.
    package func gathered<State, Result>(
        _ begin: @escaping @Sendable () -> State, take: @escaping @Sendable (State, Element) throws -> Void,
        end: @escaping @Sendable (State) throws -> Result
    ) -> Single<Result> {
        PrimitiveSequence(
            raw: asObservable().linear { GatherSink(to: $0, begin(), take, end) })
    }
}

private final class GatherSink<Element, State, Result>: ClosingPipe<Element, Result>, @unchecked Sendable {
    private let state: State
    private let take: (State, Element) throws -> Void
    private let end: (State) throws -> Result

    init(
        to downstream: Sink<Result>, _ state: State, _ take: @escaping (State, Element) throws -> Void,
        _ end: @escaping (State) throws -> Result
    ) {
        self.state = state
        self.take = take
        self.end = end
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do { try take(state, element) } catch { downstream.error(error) }
    }

    override func completed() {
        do { finish(with: try end(state)) } catch { downstream.error(error) }
    }
}
