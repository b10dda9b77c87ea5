import FreshetCore

/// An observer that checks the contract: it records an event that overlaps another, or that follows a stop event.
final class ContractChecker: ObserverType, @unchecked Sendable {
    private struct State {
        var events = 0
        var elements = 0
        var stop: Event<Int>?
        var busy = 0
        var violations: [String] = []
    }

    private let state = Locked(State())
    private let reaction: @Sendable (_ number: Int, Event<Int>) -> Void

    /// - Parameter reaction: called inside each event; the first event has the number 1.
    init(reaction: @escaping @Sendable (_ number: Int, Event<Int>) -> Void = { _, _ in }) {
        self.reaction = reaction
    }

    var events: Int { state.withLock { $0.events } }
    var elements: Int { state.withLock { $0.elements } }
    var hasStopped: Bool { state.withLock { $0.stop != nil } }
    var violations: [String] { state.withLock { $0.violations } }

    func on(_ event: Event<Int>) {
        let number = state.withLock { state in
            state.events += 1
            state.busy += 1
            if state.busy > 1 { state.violations.append("\(event) inside another") }
            if let stop = state.stop { state.violations.append("\(event) after \(stop)") }
            if event.isStopEvent { state.stop = event } else { state.elements += 1 }
            return state.events
        }
        reaction(number, event)
        state.withLock { $0.busy -= 1 }
    }
}
