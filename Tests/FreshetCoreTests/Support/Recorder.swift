import FreshetCore

/// An observer that records its events, and counts the events that overlap.
final class Recorder<Element>: ObserverType, @unchecked Sendable {
    private struct State {
        var events: [Event<Element>] = []
        var busy = 0
        var overlaps = 0
    }

    private let state = Locked(State())
    private let reaction: @Sendable (Event<Element>) -> Void

    init(reaction: @escaping @Sendable (Event<Element>) -> Void = { _ in }) {
        self.reaction = reaction
    }

    var events: [Event<Element>] { state.withLock { $0.events } }
    var elements: [Element] { events.compactMap(\.element) }
    /// The number of events that arrived while another was being delivered.
    var overlaps: Int { state.withLock { $0.overlaps } }
    var hasCompleted: Bool { events.last?.isCompleted == true }
    var error: (any Error)? { events.last?.error }

    func on(_ event: Event<Element>) {
        state.withLock { state in
            state.busy += 1
            if state.busy > 1 { state.overlaps += 1 }
            state.events.append(event)
        }
        reaction(event)
        state.withLock { $0.busy -= 1 }
    }
}

extension ObservableType {
    /// Records the events within the subscribing call.
    func record() -> Recorder<Element> {
        let recorder = Recorder<Element>()
        subscribe(recorder).dispose()
        return recorder
    }
}

extension InfallibleType {
    /// Records the events within the subscribing call.
    func record() -> Recorder<Element> {
        asObservable().record()
    }
}
