import Foundation
import Freshet

/// Records what happens during the demonstration, and when, for the picture.
final class FloodLog: Sendable {
    enum Happening {
        /// The request is admitted, and asks for a token.
        case asked
        /// The request is sent for the first time, or again with the same token.
        case sent
        /// The server responds that the token has expired.
        case refused
        /// The request is sent again with a newer token.
        case replayed
        case answered
        case lost
    }

    /// An event of one request.
    struct Step {
        var at: Duration
        var what: Happening
        /// Whether the request was the first that was refused with its token, and so caused the refresh.
        var isCause = false
    }

    struct Refresh {
        var at: Duration
        /// The number of the request that was refused first; `nil` if that was the event stream's.
        var cause: Int?
        var event: RefreshEvent

        var start: Duration { at - event.duration }
    }

    /// What happened to the event stream.
    enum StreamHappening {
        case opened, event, ended
    }

    private struct State {
        private(set) var tracks: [Int: [Step]] = [:]
        private(set) var counts: [Happening: Int] = [:]
        var refreshes: [Refresh] = []
        var stream: [(at: Duration, what: StreamHappening)] = []
        /// The number of the first request that was refused, by the generation of its token.
        var firstRefused: [Int: Int] = [:]

        mutating func add(_ step: Step, to request: Int) {
            tracks[request, default: []].append(step)
            counts[step.what, default: 0] += 1
        }
    }

    private let state = Locked(State())
    private let started = ContinuousClock.now

    private var now: Duration { ContinuousClock.now - started }

    func record(_ happening: Happening, of request: Int) {
        let now = now
        state.withLock { $0.add(Step(at: now, what: happening), to: request) }
    }

    func recordRefused(_ request: Int, with generation: Int) {
        let now = now
        state.withLock { state in
            let isCause = state.firstRefused[generation] == nil
            if isCause { state.firstRefused[generation] = request }
            state.add(Step(at: now, what: .refused, isCause: isCause), to: request)
        }
    }

    func record(_ event: RefreshEvent) {
        let now = now
        state.withLock { state in
            state.refreshes.append(Refresh(at: now, cause: state.firstRefused[event.generation], event: event))
        }
    }

    func record(_ happening: StreamHappening) {
        let now = now
        state.withLock { $0.stream.append((now, happening)) }
    }

    /// What happened to each request, by its number.
    var requests: [Int: [Step]] { state.withLock { $0.tracks } }

    func times(of happening: Happening) -> [Duration] {
        requests.values.flatMap { steps in steps.lazy.filter { $0.what == happening }.map(\.at) }
    }

    /// Looks at no track, because the progress line asks often while the tracks grow.
    func count(of happening: Happening) -> Int { state.withLock { $0.counts[happening] ?? 0 } }

    var refreshes: [Refresh] { state.withLock { $0.refreshes } }
    var streamed: [(at: Duration, what: StreamHappening)] { state.withLock { $0.stream } }

    /// The time of the last event.
    var end: Duration {
        // A closure instead of a key path: the standard library copies the target of a key path through an optional over
        // itself.
        let ends = state.withLock { state in
            state.tracks.values.compactMap { $0.last?.at } + state.refreshes.map(\.at)
                + state.stream.suffix(1).map(\.at)
        }
        return ends.max() ?? .zero
    }
}
