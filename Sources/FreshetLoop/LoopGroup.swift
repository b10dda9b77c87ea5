import CFreshetUV
import FreshetCore
import Synchronization

/// Loops with a thread each, by default as many as there are cores.
///
/// A loop is fast enough for most programs: take a group where one core is not enough for what has to be sent. Who is
/// called on one of the loops is to stay there, and who comes from elsewhere takes the ``next()``.
public final class LoopGroup: Sendable {
    /// All of them, in the order of their numbers.
    public let loops: [Loop]
    private let turn = Atomic<Int>(0)

    /// Loops, each with a thread of its own, which run from now on.
    ///
    /// - Parameters:
    ///   - count: of loops; `nil` is one for each core that the process may use.
    ///   - name: of the threads, each with its number.
    /// - Throws: ``LoopError``, if the process has no descriptors or threads left; nothing is left behind then.
    public init(count: Int? = nil, name: String = "freshet") throws {
        var loops: [Loop] = []
        do {
            for number in 0..<max(1, count ?? Self.cores) { loops.append(try Loop(name: "\(name)-\(number)")) }
        } catch {
            for loop in loops { loop.shutdown() }
            throw error
        }
        self.loops = loops
    }

    /// How many cores the process may use.
    public static var cores: Int { Int(uv_available_parallelism()) }

    /// The loop on whose thread the caller is, if it is one of these.
    public var current: Loop? { loops.first { $0.isCurrent } }

    /// The loops in turn.
    public func next() -> Loop {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    /// Ends all loops, as ``Loop/shutdown()`` does. Can be called again, and from any thread but theirs.
    public func shutdown() {
        for loop in loops { loop.shutdown() }
    }
}
