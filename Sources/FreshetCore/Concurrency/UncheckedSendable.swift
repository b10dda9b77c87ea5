/// A value that a closure takes to another thread. Unchecked: only one thread at a time uses the value.
struct UncheckedSendable<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
