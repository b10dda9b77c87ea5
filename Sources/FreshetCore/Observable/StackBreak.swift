/// Splits a long chain of linear operators, so that subscribing to it and releasing it do not deepen the stack with the
/// length of the chain: both wait at this place until the calls that led here have returned.
@usableFromInline
final class StackBreak<Element>: Observable<Element>, @unchecked Sendable {
    /// Only `deinit` sets this to `nil`.
    private var upstream: Observable<Element>?

    @usableFromInline
    init(_ upstream: Observable<Element>) {
        self.upstream = upstream
        super.init(depth: upstream.depth + 1, isHot: upstream.isHot)
    }

    deinit { StackBreakQueue.release(&upstream) }

    override func run(_ sink: Sink<Element>) {
        guard let upstream else { return }
        let stackBreak = StackBreakSink(to: sink)
        CurrentThreadScheduler.trampoline.postpone { StackBreakQueue.withFreshQueue { upstream.run(stackBreak) } }
    }
}

/// Splits the chain of sinks on the way downstream, so that passing the subscription down the chain and releasing the
/// sinks do not deepen the stack either.
private final class StackBreakSink<Element>: Sink<Element> {
    /// Only `deinit` sets this to `nil`.
    private var downstream: Sink<Element>?
    /// The subscription that `downstream` has not received yet. `downstream` receives it before any event.
    private var subscription: (any Disposable & AnyObject)?
    private var hasBegun = false

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    deinit { StackBreakQueue.release(&downstream) }

    override func begin(with subscription: any Disposable & AnyObject) {
        self.subscription = StackBreakSubscription(subscription)
        StackBreakQueue.begin { self.beginDownstream() }
    }

    override func next(_ element: Element) {
        if !hasBegun { beginDownstream() }
        StackBreakQueue.deliver { withoutRetaining(downstream.unsafelyUnwrapped) { $0.next(element) } }
    }

    override func error(_ error: any Error) {
        beginDownstream()
        StackBreakQueue.deliver { withoutRetaining(downstream.unsafelyUnwrapped) { $0.error(error) } }
    }

    override func completed() {
        beginDownstream()
        StackBreakQueue.deliver { withoutRetaining(downstream.unsafelyUnwrapped) { $0.completed() } }
    }

    private func beginDownstream() {
        guard let subscription = subscription.take() else { return }
        hasBegun = true
        withoutRetaining(downstream.unsafelyUnwrapped) { $0.begin(with: subscription) }
    }
}

/// Splits the way upstream, where each operator can have a subscription of its own, so that disposing of the
/// subscriptions, pausing and resuming them do not deepen the stack either.
private final class StackBreakSubscription: Pausable, @unchecked Sendable {
    // Only `init` and `deinit` access this.
    private var upstream: any Disposable

    init(_ upstream: any Disposable) {
        self.upstream = upstream
    }

    deinit {
        var box = Optional(Box(upstream))
        upstream = Disposables.create()
        StackBreakQueue.release(&box)
    }

    func dispose() { StackBreakQueue.call { self.upstream.dispose() } }
    func pause() { StackBreakQueue.call { (self.upstream as? any Pausable)?.pause() } }
    func resume() { StackBreakQueue.call { (self.upstream as? any Pausable)?.resume() } }
}

/// Makes a value an object, so that ``StackBreakQueue`` can release it once nothing else references it.
final class Box<Value> {
    private let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}

/// The calls and releases that the stack breaks of this thread have postponed, which run one after the other.
enum StackBreakQueue {
    struct Queue<Item> {
        var waiting: [Item] = []
        var isRunning = false
    }

    struct Calls {
        /// The number of stack bytes that nested calls can use before further calls are postponed.
        static var mostStack: Int { 128 * 1024 }

        var waiting = Fifo<() -> Void>()
        /// The stack address at the outermost call under way.
        var start: Int?
    }

    /// Runs `subscribing`. Every subscription that begins within it has begun when this call returns, even if the
    /// queue of pending subscriptions is already running, as when a subscription that ends there subscribes again.
    static func withFreshQueue(_ subscribing: () -> Void) {
        let trampoline = CurrentThreadScheduler.trampoline
        guard trampoline.pendingSubscriptions.isRunning else { return subscribing() }
        let outer = trampoline.pendingSubscriptions
        trampoline.pendingSubscriptions = Queue()
        subscribing()
        trampoline.pendingSubscriptions = outer
    }

    static func begin(_ subscribing: @escaping () -> Void) {
        let subscribing = SubscriptionContext.inCurrentContext(subscribing)
        CurrentThreadScheduler.trampoline.pendingSubscriptions.waiting.append(subscribing)
        run(\.pendingSubscriptions) { $0() }
    }

    /// Runs `work` at once, or later if the stack has grown by more than ``Calls/mostStack`` bytes since the outermost
    /// call. `work` calls upstream.
    ///
    /// `work` reaches the source, which can call back: an element of a resumed source can make an observer pause this
    /// chain, and the observer relies on the pause. Therefore calls are postponed only when the stack
    /// requires it, and never reordered.
    static func call(_ work: @escaping () -> Void) {
        let work = SubscriptionContext.inCurrentContext(work)
        let trampoline = CurrentThreadScheduler.trampoline
        var mark: UInt8 = 0
        let here = withUnsafePointer(to: &mark) { Int(bitPattern: $0) }
        if let start = trampoline.calls.start {
            if abs(start - here) > Calls.mostStack { trampoline.calls.waiting.append(work) } else { work() }
            return
        }
        trampoline.calls.start = here
        // Calls that wait in a call further up the stack come first, so that this one is not reordered.
        trampoline.calls.waiting.append(work)
        while let work = trampoline.calls.waiting.popFirst() { work() }
        trampoline.calls.start = nil
    }

    /// Runs `delivering`, which sends an event downstream. A call upstream within it is a new outermost call, so it has
    /// ended when the event has been delivered: a source that emits within ``call(_:)`` is disposed of in time.
    static func deliver(_ delivering: () -> Void) {
        let trampoline = CurrentThreadScheduler.trampoline
        let start = trampoline.calls.start.take()
        delivering()
        trampoline.calls.start = start
    }

    /// Releases `object`.
    static func release<Object: AnyObject>(_ object: inout Object?) {
        if object == nil { return }
        enqueue(object)
        // From here on only the queue references the object, whatever the compiler does with the references above.
        object = nil
        run(\.releases) { _ in }
    }

    @inline(never)
    private static func enqueue(_ object: AnyObject?) {
        guard let object else { return }
        CurrentThreadScheduler.trampoline.releases.waiting.append(object)
    }

    private static func run<Item>(
        _ queue: ReferenceWritableKeyPath<Trampoline, Queue<Item>>, _ handle: (Item) -> Void
    ) {
        let trampoline = CurrentThreadScheduler.trampoline
        // A call further up the stack is already running the queue, and runs this item too.
        if trampoline[keyPath: queue].isRunning { return }
        trampoline[keyPath: queue].isRunning = true
        while let item = trampoline[keyPath: queue].waiting.popLast() { handle(item) }
        trampoline[keyPath: queue].isRunning = false
    }
}
