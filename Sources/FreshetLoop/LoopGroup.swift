import CFreshetUV
import FreshetCore
import Synchronization

/// Several loops, each with a thread of its own; by default one loop for each core.
///
/// One loop is fast enough for most programs. A group helps where one core is not enough for the requests. Code that is
/// called on one of the loops stays on that loop; code on other threads uses ``next()``.
public final class LoopGroup: Sendable {
    /// All loops, in the order of their numbers.
    public let loops: [Loop]
    private let turn = Atomic<Int>(0)

    /// Creates the loops, each with a thread of its own, which starts to run at once.
    ///
    /// - Parameters:
    ///   - count: the number of loops; `nil` creates one for each core that the process may use.
    ///   - name: the name of the threads, to which each thread adds its number.
    /// - Throws: ``LoopError`` if the process has no descriptors or threads left. No loop is left running then.
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

    /// The number of cores that the process may use.
    public static var cores: Int { Int(uv_available_parallelism()) }

    /// The loop on whose thread the caller is; `nil` if that is none of these loops.
    public var current: Loop? { loops.first { $0.isCurrent } }

    /// Returns the next loop. Each call returns another one, in turn.
    public func next() -> Loop {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    /// Shuts down all loops, as ``Loop/shutdown()`` does. Can be called again, and from any thread except those of the loops
    /// and those that run their blocking work.
    public func shutdown() {
        for loop in loops { loop.shutdown() }
    }
}
