import Synchronization

/// Task-local values that travel along a chain, on whichever threads its closures run.
///
/// A task hands its values to the tasks that it creates, but not to a loop or a queue. A context does: the closures of a chain
/// run in the context in which it was subscribed to, and so does what they cause. Streams that they subscribe to, work that
/// they schedule, requests, refreshes of a credential and log lines read the same values.
///
///     enum Audit { @TaskLocal static var user = "nobody" }
///
///     SubscriptionContext.current.binding(Audit.$user, to: "ada").run {
///         orders.flatMap { client.send($0.request) }
///             .subscribe(onNext: { log.info("\(Audit.user): \($0.status)") })    // ada: 200 OK
///     }
///
/// ``ObservableType/bindingTaskLocal(_:to:)`` does the same for a part of a chain. Nothing is paid for contexts in a program
/// that has made none. Source: Reactor's `Context` and its propagation to thread-locals.
public struct SubscriptionContext: Sendable {
    private final class Bindings: Sendable {
        let all: [any TaskLocalBinding]

        init(_ all: [any TaskLocalBinding]) {
            self.all = all
        }
    }

    /// Where a thread or a task is: in which context, and what was bound outside of it.
    private struct Entry: Sendable {
        let context: SubscriptionContext
        let outside: [any TaskLocalBinding]
    }

    // A task-local value itself, so that a task that a closure creates is in the closure's context.
    @TaskLocal private static var entry: Entry?
    private static let isExpected = Atomic<Bool>(false)

    private let bindings: Bindings?

    private init(_ bindings: Bindings?) {
        self.bindings = bindings
    }

    /// The context of the code that runs; one that binds nothing outside of chains.
    public static var current: SubscriptionContext { entry?.context ?? SubscriptionContext(nil) }

    /// Whether there may be a context with a value.
    static var isInUse: Bool { isExpected.load(ordering: .relaxed) }

    /// Has chains keep their contexts from now on, for somebody who makes one in the middle of a subscribing call.
    package static func expect() { isExpected.store(true, ordering: .relaxed) }

    /// The same context, in which `local` has the value `value`.
    public func binding<Value>(_ local: TaskLocal<Value>, to value: Value) -> SubscriptionContext {
        binding(local) { value }
    }

    /// The same context, in which `local` has what `value` returns, which is called whenever the context is entered, on the
    /// thread that enters it.
    @preconcurrency
    public func binding<Value>(
        _ local: TaskLocal<Value>, from value: @escaping @Sendable () -> Value
    ) -> SubscriptionContext {
        Self.expect()
        let others = all.filter { $0.key != ObjectIdentifier(local) }
        return SubscriptionContext(Bindings(others + [BoundTaskLocal(local: local, value: value)]))
    }

    /// Whether `local` has a value of its own here.
    package func binds<Value>(_ local: TaskLocal<Value>) -> Bool {
        all.contains { $0.key == ObjectIdentifier(local) }
    }

    /// What `work` returns, which runs in this context: of the values of another one that is current, none is seen.
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

    /// `work` in the context that is current now, whenever it is called.
    static func carried<Result>(_ work: @escaping () -> Result) -> () -> Result {
        guard isInUse else { return work }
        let context = current
        return { context.run(work) }
    }

    /// Periodic work in the context that is current now.
    package static func carried<State>(
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
