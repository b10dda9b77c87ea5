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

    struct Refresh {
        var at: Duration
        /// The path of the request that was refused first.
        var cause: String
        var event: RefreshEvent
    }

    private let lock = NSLock()
    private let started = ContinuousClock.now
    private var moments: [Happening: [Duration]] = [:]
    private var heard: [Refresh] = []
    /// The path of the first request that was refused with a generation's token.
    private var firstRefused: [Int: String] = [:]

    func note(_ happening: Happening) {
        let now = ContinuousClock.now - started
        lock.withLock { moments[happening, default: []].append(now) }
    }

    func noteRefused(_ path: String, with generation: Int) {
        note(.refused)
        lock.withLock { firstRefused[generation] = firstRefused[generation] ?? path }
    }

    func note(_ event: RefreshEvent) {
        let now = ContinuousClock.now - started
        lock.withLock {
            heard.append(Refresh(at: now, cause: firstRefused[event.generation] ?? "?", event: event))
        }
    }

    func times(of happening: Happening) -> [Duration] {
        lock.withLock { moments[happening] ?? [] }
    }

    func count(of happening: Happening) -> Int { times(of: happening).count }

    var refreshes: [Refresh] { lock.withLock { heard } }

    /// When the last thing happened.
    var end: Duration {
        lock.withLock { (moments.values.compactMap(\.last) + heard.map(\.at)).max() ?? .zero }
    }
}
