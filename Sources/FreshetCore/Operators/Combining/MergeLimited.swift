import Synchronization

extension ObservableType {
    /// Subscribes to a stream for each element, one stream after the other, and emits their elements in order.
    /// Source: RxSwift's `concatMap`.
    ///
    /// While an inner stream runs, `self` is paused, if it supports pausing. If `self` emits an element nevertheless,
    /// `selector` is called at once and the stream waits. While the operator itself is paused, only hot inner streams start, such as
    /// subjects and windows.
    @inlinable
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        limitedMerge(1, selector)
    }

    @inlinable
    func limitedMerge<Source: ObservableConvertibleType>(
        _ maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        precondition(maxConcurrent > 0, "merge(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        let source = asObservable()
        let stream: @Sendable (Element) throws -> Observable<Source.Element> = { try selector($0).asObservable() }
        return source.linear { LimitedMergeSink(to: $0, maxConcurrent, stream) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to the streams in `self`, to at most `maxConcurrent` at once, and emits the elements of all of them.
    /// Source: RxSwift's `merge(maxConcurrent:)`.
    ///
    /// While `maxConcurrent` inner streams run, `self` is paused, if it supports pausing, and streams that it emits
    /// nevertheless wait. While the operator itself is paused, only hot inner streams start, such as subjects and windows.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        limitedMerge(maxConcurrent) { $0 }
    }

    /// Subscribes to the streams in `self`, one after the other, and emits their elements in order.
    /// Source: RxSwift's `concat`.
    public func concat() -> Observable<Element.Element> {
        limitedMerge(1) { $0 }
    }
}

@usableFromInline
final class LimitedMergeSink<Element, Result>: Flattening<Element, Result> {
    private enum Waiting {
        case source(Observable<Result>)
        case kept(KeptEvents)
    }

    private let maxConcurrent: Int
    /// The elements that have arrived and whose inner streams have not ended.
    private let backlog: Backlog
    /// The same without the inner streams whose ends wait to be handled.
    private let unended = Atomic<Int>(0)
    /// The number of resumes under way.
    private let resumes = Atomic<Int>(0)
    /// The slot of the outer source holds the strong reference.
    private weak var arbiter: PauseArbiter?

    // Accessed only under the drain.
    private var waiting = Fifo<Waiting>()
    /// The number of hot streams that wait without a subscription.
    private var unsubscribed = 0

    @usableFromInline
    init(
        to downstream: Sink<Result>, _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Observable<Result>
    ) {
        self.maxConcurrent = maxConcurrent
        backlog = Backlog(limits: maxConcurrent - 1...maxConcurrent)
        super.init(to: downstream, selector)
    }

    override func admit(_ subscription: any Disposable & AnyObject) -> any Disposable & AnyObject {
        let arbiter = PauseArbiter(subscription)
        self.arbiter = arbiter
        return arbiter
    }

    override func next(_ element: Element) {
        if !backlog.isEmpty || pauseState.isOn || !handleAtOnce(element) {
            launches()
            handleInTurn(element)
        }
        backlog.pauseIfFull(arbiter)
    }

    override func enqueue(_ element: Element) {
        // Without room for one more stream in its turn, the stream of the element has to wait, also if it is hot.
        enqueue(element, mayJoin: isHeldUp || unended.load(ordering: .acquiring) <= maxConcurrent)
    }

    override func launches() {
        backlog.add()
        unended.add(1, ordering: .acquiringAndReleasing)
    }

    override func launch(_ source: Observable<Result>) {
        if running < maxConcurrent, waiting.isEmpty, mayStart(source) {
            start(source)
        } else if source.isHot, isHeldUp || running < maxConcurrent {
            // If there is room, the streams before it wait for work that a pause has postponed.
            waiting.append(.kept(KeptEvents(of: source, for: self)))
        } else {
            if source.isHot { unsubscribed += 1 }
            waiting.append(.source(source))
        }
    }

    override func joined(_ inner: Inner) {
        if running < maxConcurrent, waiting.isEmpty {
            super.joined(inner)
        } else {
            waiting.append(.kept(KeptEvents(of: inner)))
        }
    }

    override func resume() {
        resumes.add(1, ordering: .acquiringAndReleasing)
        super.resume()
        resumes.subtract(1, ordering: .acquiringAndReleasing)
    }

    /// Whether a pause can hold up streams that would have ended without it. A hot stream that waits for them is subscribed to,
    /// because its elements would be lost. The streams are also late while they are being resumed, one after the other.
    private var isHeldUp: Bool { pauseState.isOn || resumes.load(ordering: .acquiring) > 0 }

    override func ends() { unended.subtract(1, ordering: .acquiringAndReleasing) }

    override func retired() { backlog.remove(resuming: arbiter) }

    override func refill() {
        while running < maxConcurrent, !isDisposed, let next = waiting.first {
            switch next {
            case .source(let source):
                guard mayStart(source) else { return subscribeToWaiting() }
                _ = waiting.popFirst()
                if source.isHot { unsubscribed -= 1 }
                start(source)
            case .kept(let events):
                guard emit(events) else { return subscribeToWaiting() }
                _ = waiting.popFirst()
            }
        }
    }

    /// Subscribes to the hot streams that wait, because a pause that began after their arrival holds them up.
    private func subscribeToWaiting() {
        if unsubscribed == 0 || isDisposed { return }
        unsubscribed = 0
        for _ in 0..<waiting.count {
            guard let next = waiting.popFirst() else { return }
            if case .source(let source) = next, source.isHot {
                waiting.append(.kept(KeptEvents(of: source, for: self)))
            } else {
                waiting.append(next)
            }
        }
    }

    /// - Returns: whether all events have been emitted. If not, a resume is due.
    private func emit(_ events: KeptEvents) -> Bool {
        while !isDisposed {
            if pauseState.defersDueWork() { return false }
            switch events.popFirst() {
            case .next(let element): downstream.next(element)
            case .error(let error): downstream.error(error)
            case .completed:
                retired()
                return true
            case nil:
                running += 1
                return true
            }
        }
        return false
    }

    override var isIdle: Bool { running == 0 && waiting.isEmpty }
}
