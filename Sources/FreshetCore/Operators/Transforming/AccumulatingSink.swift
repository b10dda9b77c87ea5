/// Keeps what goes downstream: the state that the accumulator of `switchScan` and `mergeScan` is given next.
final class AccumulatingSink<State>: OperatorSink<State, State> {
    private(set) var state: State

    init(to downstream: Sink<State>, _ seed: State) {
        state = seed
        super.init(to: downstream)
    }

    override func next(_ element: State) {
        state = element
        downstream.next(element)
    }
}
