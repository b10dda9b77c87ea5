/// Stores the last element that passes downstream. It is the state that `switchScan` and `mergeScan` pass to their next
/// accumulator call.
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
