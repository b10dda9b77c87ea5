/// A place in a long chain of linear operators where a flight of calls ends and another begins: subscribing to what is
/// above, and letting go of it, wait until the calls that led here have returned. So neither deepens the stack with the
/// length of the chain.
@usableFromInline
final class StackBreak<Element>: Observable<Element>, @unchecked Sendable {
    /// Taken out by `deinit` alone.
    private var upstream: Observable<Element>?

    @usableFromInline
    init(_ upstream: Observable<Element>) {
        self.upstream = upstream
        super.init(depth: upstream.depth + 1)
    }

    deinit { StackBreakQueue.release(&upstream) }

    override func run(_ sink: Sink<Element>) {
        guard let upstream else { return }
        let stackBreak = StackBreakSink(to: sink)
        CurrentThreadScheduler.trampoline.postpone { StackBreakQueue.onTheGround { upstream.run(stackBreak) } }
    }
}

/// The landing on the way down: the chain of sinks takes its subscription, and is let go of, in flights too.
private final class StackBreakSink<Element>: Sink<Element> {
    /// Taken out by `deinit` alone.
    private var downstream: Sink<Element>?
    /// What `downstream` has still to begin with, and does before anything else.
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
        withoutRetaining(downstream.unsafelyUnwrapped) { $0.next(element) }
    }

    override func error(_ error: any Error) {
        beginDownstream()
        withoutRetaining(downstream.unsafelyUnwrapped) { $0.error(error) }
    }

    override func completed() {
        beginDownstream()
        withoutRetaining(downstream.unsafelyUnwrapped) { $0.completed() }
    }

    private func beginDownstream() {
        guard let subscription else { return }
        self.subscription = nil
        hasBegun = true
        withoutRetaining(downstream.unsafelyUnwrapped) { $0.begin(with: subscription) }
    }
}

/// The landing on the way up: where each operator has a subscription of its own, ending and holding them is done in
/// flights too.
private final class StackBreakSubscription: Pausable, @unchecked Sendable {
    // Touched by `init` and `deinit` alone.
    private var upstream: any Disposable

    init(_ upstream: any Disposable) {
        self.upstream = upstream
    }

    deinit {
        var cargo = Optional(Box(upstream))
        upstream = Disposables.create()
        StackBreakQueue.release(&cargo)
    }

    func dispose() { StackBreakQueue.call { self.upstream.dispose() } }
    func pause() { StackBreakQueue.call { (self.upstream as? any Pausable)?.pause() } }
    func resume() { StackBreakQueue.call { (self.upstream as? any Pausable)?.resume() } }
}

/// A value that can be let go of in a flight, once nobody else holds it.
final class Box<Value> {
    private let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}

/// What the landings of this thread have put off, one after the other.
enum StackBreakQueue {
    struct Queue<Flight> {
        var waiting: [Flight] = []
        var isMoving = false
    }

    struct Calls {
        /// How many bytes of the stack calls may take that have not been put off.
        static var mostStack: Int { 128 * 1024 }

        var waiting = Fifo<() -> Void>()
        /// Where the stack was at the first of those under way.
        var start: Int?
    }

    /// Runs `subscribing`, at whose end all has begun that begins within it, even if this is called in the middle of a
    /// flight: by what a subscription that ends there calls.
    static func onTheGround(_ subscribing: () -> Void) {
        let trampoline = CurrentThreadScheduler.trampoline
        guard trampoline.beginnings.isMoving else { return subscribing() }
        let outer = trampoline.beginnings
        trampoline.beginnings = Queue()
        subscribing()
        trampoline.beginnings = outer
    }

    static func begin(_ flight: @escaping () -> Void) {
        CurrentThreadScheduler.trampoline.beginnings.waiting.append(flight)
        run(\.beginnings) { $0() }
    }

    /// Calls up the chain: at once, but for one that is too far up the stack.
    ///
    /// A call reaches the source, where anything can happen: what a resumed source says may make somebody hold this very
    /// chain, who relies on having done so. Therefore calls are put off as late as the stack bears, and never reordered.
    static func call(_ flight: @escaping () -> Void) {
        let trampoline = CurrentThreadScheduler.trampoline
        var mark: UInt8 = 0
        let here = withUnsafePointer(to: &mark) { Int(bitPattern: $0) }
        if let start = trampoline.calls.start {
            if abs(start - here) > Calls.mostStack { trampoline.calls.waiting.append(flight) } else { flight() }
            return
        }
        trampoline.calls.start = here
        flight()
        while let flight = trampoline.calls.waiting.popFirst() { flight() }
        trampoline.calls.start = nil
    }

    /// Lets go of `object`.
    static func release<Object: AnyObject>(_ object: inout Object?) {
        if object == nil { return }
        enqueue(object)
        // From here on the queue alone holds it, whatever the compiler makes of the references above.
        object = nil
        run(\.releases) { _ in }
    }

    @inline(never)
    private static func enqueue(_ object: AnyObject?) {
        guard let object else { return }
        CurrentThreadScheduler.trampoline.releases.waiting.append(object)
    }

    private static func run<Flight>(
        _ queue: ReferenceWritableKeyPath<Trampoline, Queue<Flight>>, _ take: (Flight) -> Void
    ) {
        let trampoline = CurrentThreadScheduler.trampoline
        // Whoever is at it further up the stack comes to this one too.
        if trampoline[keyPath: queue].isMoving { return }
        trampoline[keyPath: queue].isMoving = true
        while let flight = trampoline[keyPath: queue].waiting.popLast() { take(flight) }
        trampoline[keyPath: queue].isMoving = false
    }
}
