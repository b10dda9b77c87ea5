import Foundation
import Freshet

/// What happened in the flood, and when, for the picture.
final class FloodLog: @unchecked Sendable {
    enum Happening {
        /// Has its turn, and asks for a token.
        case asked
        /// Put on the wire for the first time, or again with the token it had.
        case sent
        /// Answered that the token has expired.
        case refused
        /// Put on the wire again with a newer token.
        case replayed
        case answered
        case lost
    }

    /// Something that happened to a request.
    struct Step {
        var at: Duration
        var what: Happening
        /// Whether it was the first that was refused with its token, so that it had that refreshed.
        var isCause = false
    }

    struct Refresh {
        var at: Duration
        /// The number of the request that was refused first.
        var cause: Int?
        var event: RefreshEvent

        var start: Duration { at - event.duration }
    }

    /// What happened to the event stream.
    enum StreamHappening {
        case opened, event, ended
    }

    private let lock = NSLock()
    private let started = ContinuousClock.now
    private var tracks: [Int: [Step]] = [:]
    private var heard: [Refresh] = []
    private var stream: [(at: Duration, what: StreamHappening)] = []
    /// The first request that was refused with a generation's token.
    private var firstRefused: [Int: Int] = [:]

    private var now: Duration { ContinuousClock.now - started }

    func note(_ happening: Happening, of request: Int) {
        let now = now
        lock.withLock { tracks[request, default: []].append(Step(at: now, what: happening)) }
    }

    func noteRefused(_ request: Int, with generation: Int) {
        let now = now
        lock.withLock {
            let isCause = firstRefused[generation] == nil
            if isCause { firstRefused[generation] = request }
            tracks[request, default: []].append(Step(at: now, what: .refused, isCause: isCause))
        }
    }

    func note(_ event: RefreshEvent) {
        let now = now
        lock.withLock { heard.append(Refresh(at: now, cause: firstRefused[event.generation], event: event)) }
    }

    func note(_ happening: StreamHappening) {
        let now = now
        lock.withLock { stream.append((now, happening)) }
    }

    /// What happened to each request, by its number.
    var requests: [Int: [Step]] { lock.withLock { tracks } }

    func times(of happening: Happening) -> [Duration] {
        requests.values.flatMap { steps in steps.lazy.filter { $0.what == happening }.map(\.at) }
    }

    func count(of happening: Happening) -> Int { times(of: happening).count }

    var refreshes: [Refresh] { lock.withLock { heard } }
    var streamed: [(at: Duration, what: StreamHappening)] { lock.withLock { stream } }

    /// When the last thing happened.
    var end: Duration {
        // No key path through the optional: the standard library copies what that leads to over itself.
        let ends = lock.withLock {
            tracks.values.compactMap { $0.last?.at } + heard.map(\.at) + stream.suffix(1).map(\.at)
        }
        return ends.max() ?? .zero
    }
}
