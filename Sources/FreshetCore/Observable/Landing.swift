/// A place in a long chain of linear operators where a flight of calls ends and another begins: subscribing to what is
/// above, and letting go of it, wait until the calls that led here have returned. So neither deepens the stack with the
/// length of the chain.
@usableFromInline
final class Landing<Element>: Observable<Element>, @unchecked Sendable {
    private let upstream: Unmanaged<Observable<Element>>

    @usableFromInline
    init(_ upstream: Observable<Element>) {
        self.upstream = .passRetained(upstream)
        super.init()
        depth = upstream.depth + 1
    }

    deinit { Flights.release(upstream.toOpaque()) }

    override func run(_ sink: Sink<Element>) {
        let upstream = upstream.takeUnretainedValue()
        let landing = LandingSink(to: sink)
        CurrentThreadScheduler.trampoline.postpone { upstream.run(landing) }
    }
}

/// The landing on the way down: the chain of sinks takes its subscription, and is let go of, in flights too.
private final class LandingSink<Element>: Sink<Element> {
    private let downstream: Unmanaged<Sink<Element>>
    /// What `downstream` has still to begin with, and does before anything else.
    private var subscription: (any Disposable)?
    private var hasBegun = false

    init(to downstream: Sink<Element>) {
        self.downstream = .passRetained(downstream)
    }

    deinit { Flights.release(downstream.toOpaque()) }

    override func begin(with subscription: any Disposable) {
        self.subscription = subscription
        Flights.begin { self.beginDownstream() }
    }

    override func next(_ element: Element) {
        if !hasBegun { beginDownstream() }
        downstream._withUnsafeGuaranteedRef { $0.next(element) }
    }

    override func error(_ error: any Error) {
        beginDownstream()
        downstream._withUnsafeGuaranteedRef { $0.error(error) }
    }

    override func completed() {
        beginDownstream()
        downstream._withUnsafeGuaranteedRef { $0.completed() }
    }

    private func beginDownstream() {
        guard let subscription else { return }
        self.subscription = nil
        hasBegun = true
        downstream._withUnsafeGuaranteedRef { $0.begin(with: subscription) }
    }
}

/// What the landings of this thread have put off, one after the other.
enum Flights {
    struct Queue<Flight> {
        var waiting: [Flight] = []
        var isMoving = false
    }

    static func begin(_ flight: @escaping () -> Void) {
        let trampoline = CurrentThreadScheduler.trampoline
        trampoline.beginnings.waiting.append(flight)
        // Whoever is at it further up the stack comes to this one too.
        if trampoline.beginnings.isMoving { return }
        trampoline.beginnings.isMoving = true
        while let flight = trampoline.beginnings.waiting.popLast() { flight() }
        trampoline.beginnings.isMoving = false
    }

    static func release(_ object: UnsafeMutableRawPointer) {
        let trampoline = CurrentThreadScheduler.trampoline
        trampoline.releases.waiting.append(object)
        if trampoline.releases.isMoving { return }
        trampoline.releases.isMoving = true
        while let object = trampoline.releases.waiting.popLast() { Unmanaged<AnyObject>.fromOpaque(object).release() }
        trampoline.releases.isMoving = false
    }
}
