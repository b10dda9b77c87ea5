/// The closures that every contender is given: the same ones, made where no contender's optimiser sees into them.
public struct Workload: Sendable {
    /// Six different ones, each a step that a pipeline's stage does.
    public let maps: [@Sendable (Int) -> Int]
    /// Six different ones, each `true` of whatever the shapes send.
    public let filters: [@Sendable (Int) -> Bool]
    public let combineTwo: @Sendable (Int, Int) -> Int
    public let combineFour: @Sendable (Int, Int, Int, Int) -> Int
    public let attempt: @Sendable () -> any Error
    public let recover: @Sendable (any Error) -> Int
    /// What stands at the end of every pipeline.
    public let consume: @Sendable (Int) -> Void

    private let total: Total

    /// The sum of what has been consumed: two contenders that did the same work agree in it.
    public var sum: Int { total.value.pointee }

    public func reset() {
        total.value.pointee = 0
    }

    /// What another workload's pipelines have consumed.
    public func add(_ sum: Int) {
        total.value.pointee &+= sum
    }

    /// The shapes pass elements that are not negative.
    @inline(never)
    public init() {
        let total = Total()
        self.total = total
        let address = Address(value: total.value)
        maps = [
            { $0 &+ 1 }, { $0 ^ 1 }, { $0 &+ 3 }, { $0 | 1 }, { $0 ^ 2 }, { $0 &+ 5 },
        ]
        filters = [
            { $0 >= 0 }, { $0 > -1 }, { $0 != -2 }, { $0 > -3 }, { $0 >= -4 }, { $0 != -5 },
        ]
        combineTwo = { $0 &+ $1 }
        combineFour = { $0 &+ $1 &+ $2 &+ $3 }
        attempt = { Failure() }
        recover = { $0 is Failure ? 1 : 0 }
        // Through an address: a captured variable or a property would be checked for exclusive access each time, which
        // costs more than some of the shapes.
        consume = { address.value.pointee &+= $0 }
    }
}

private struct Failure: Error {}

/// Unchecked: one thread consumes, and who reads waits for it.
private final class Total: @unchecked Sendable {
    // On lines of the cache where nothing else is: beside what another thread writes, adding took up to a hundred times as long.
    let value = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
        .initializeMemory(as: Int.self, to: 0)

    deinit { value.deallocate() }
}

private struct Address: @unchecked Sendable {
    let value: UnsafeMutablePointer<Int>
}
