/// A task-local value that is bound in a ``SubscriptionContext``.
protocol TaskLocalBinding: Sendable {
    /// Which task-local it is.
    var key: ObjectIdentifier { get }
    /// The value that the task-local has outside: where this is asked.
    var outside: any TaskLocalBinding { get }

    func run<Result>(_ work: () throws -> Result) rethrows -> Result
}

struct BoundTaskLocal<Value: Sendable>: TaskLocalBinding {
    let local: TaskLocal<Value>
    let value: @Sendable () -> Value

    var key: ObjectIdentifier { ObjectIdentifier(local) }

    var outside: any TaskLocalBinding {
        let value = local.get()
        return BoundTaskLocal(local: local) { value }
    }

    func run<Result>(_ work: () throws -> Result) rethrows -> Result {
        try local.withValue(value(), operation: work)
    }
}
