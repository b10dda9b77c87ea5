/// A task-local value that is bound in a ``SubscriptionContext``.
protocol TaskLocalBinding: Sendable {
    /// The identity of the task-local.
    var key: ObjectIdentifier { get }
    /// A binding of the value that the task-local has where this property is read.
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
