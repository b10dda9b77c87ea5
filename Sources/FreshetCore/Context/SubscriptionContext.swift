import Synchronization

/// Task-local values that travel along a chain, on whichever threads its closures run.
///
/// A task passes its values to the tasks that it creates, but not to a loop or a queue. A context reaches those too:
/// the closures of a chain run in the context in which the chain was subscribed to, and so does the work that they
/// cause. Streams that they subscribe to, work that they schedule, requests, refreshes of a credential and log lines
/// read the same values.
///
///     enum Audit { @TaskLocal static var user = "nobody" }
///
///     SubscriptionContext.current.binding(Audit.$user, to: "ada").run {
///         orders.flatMap { client.send($0.request) }
///             .subscribe(onNext: { log.info("\(Audit.user): \($0.status)") })    // ada: 200 OK
///     }
///
/// ``ObservableType/bindingTaskLocal(_:to:)`` does the same for a part of a chain. A program that creates no context
/// pays nothing for contexts. Source: Reactor's `Context` and its propagation to thread-locals.
public struct SubscriptionContext: Sendable {
    private final class Bindings: Sendable {
        let all: [any TaskLocalBinding]

        init(_ all: [any TaskLocalBinding]) {
            self.all = all
        }
    }

    /// The current context of a thread or a task, and the values that were bound outside of it.
    private struct Entry: Sendable {
        let context: SubscriptionContext
        let outside: [any TaskLocalBinding]
    }

    // A task-local value, so that a task that a closure creates runs in the closure's context.
    @TaskLocal private static var entry: Entry?
    private static let isExpected = Atomic<Bool>(false)

    private let bindings: Bindings?

    private init(_ bindings: Bindings?) {
        self.bindings = bindings
    }

    /// The context of the running code. Outside of chains it is a context that binds nothing.
    public static var current: SubscriptionContext { entry?.context ?? SubscriptionContext(nil) }

    /// Whether a context with a value can exist.
    static var isInUse: Bool { isExpected.load(ordering: .relaxed) }

    /// Makes chains keep their contexts from now on. Needed if a context is created in the middle of a subscribing call.
    package static func enableTracking() { isExpected.store(true, ordering: .relaxed) }

    /// Returns a copy of this context in which `local` has the value `value`.
    public func binding<Value>(_ local: TaskLocal<Value>, to value: Value) -> SubscriptionContext {
        binding(local) { value }
    }

    /// Returns a copy of this context in which `local` has the result of `value`. The context calls `value` whenever it
    /// is entered, on the thread that enters it.
    @preconcurrency
    public func binding<Value>(
        _ local: TaskLocal<Value>, from value: @escaping @Sendable () -> Value
    ) -> SubscriptionContext {
        Self.enableTracking()
        let others = all.filter { $0.key != ObjectIdentifier(local) }
        return SubscriptionContext(Bindings(others + [BoundTaskLocal(local: local, value: value)]))
    }

    /// Whether this context binds `local`.
    package func binds<Value>(_ local: TaskLocal<Value>) -> Bool {
        all.contains { $0.key == ObjectIdentifier(local) }
    }

    /// Runs `work` in this context and returns its result. `work` does not see values of the context that was current before.
    public func run<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard Self.isInUse else { return try work() }
        let before = Self.entry
        if before?.context.bindings === bindings { return try work() }
        let outside = before?.outside ?? []
        let left = outside.filter { binding in !all.contains { $0.key == binding.key } }
        let kept = all.map { binding in outside.first { $0.key == binding.key } ?? binding.outside }
        return try Self.bind((left + all)[...]) {
            try Self.$entry.withValue(Entry(context: self, outside: kept), operation: work)
        }
    }

    /// Returns a function that runs `work` in the context that is current now.
    static func inCurrentContext<Result>(_ work: @escaping () -> Result) -> () -> Result {
        guard isInUse else { return work }
        let context = current
        return { context.run(work) }
    }

    /// Returns a function that runs periodic work in the context that is current now.
    package static func inCurrentContext<State>(
        _ work: @escaping @Sendable (State) -> State
    ) -> @Sendable (State) -> State {
        guard isInUse else { return work }
        let context = current
        return { state in context.run { work(state) } }
    }

    private var all: [any TaskLocalBinding] { bindings?.all ?? [] }

    private static func bind<Result>(
        _ bindings: ArraySlice<any TaskLocalBinding>, _ work: () throws -> Result
    ) rethrows -> Result {
        guard let first = bindings.first else { return try work() }
        return try first.run { try bind(bindings.dropFirst(), work) }
    }
}
