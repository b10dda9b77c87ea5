/// Where `combineLatest` and `zip` meet: a slot for each source, typed as the source is, and one drain.
///
/// A source that finds nobody at work puts its element into the slot and goes on; only when somebody is at work is the
/// event left in the slot's own queue, and the slot with the drain. So elements of many types need no box.
///
/// Parameter packs would spare the written-out overloads that ask for the slots, but closures over packs crash the
/// compiler (6.3.1).
final class Join: Pausable, @unchecked Sendable {
    fileprivate let drain = Drain<any Backlogged>()
    fileprivate let subscriptions = Subscriptions()
    private var starts: [() -> Void] = []

    // Touched under the drain alone.
    private var combine: () throws -> Void = {}
    private var end: ((any Error)?) -> Void = { _ in }
    fileprivate var missing = 0
    private var running = 0

    /// Whether it completes as soon as nothing more can come, and not only with all its sources.
    private let endsEarly: Bool

    private init(endsEarly: Bool) {
        self.endsEarly = endsEarly
    }

    /// The stream of what `plan` combines out of the slots that it asks for.
    static func stream<Result>(
        endsEarly: Bool = true, _ plan: @escaping @Sendable (Join) -> () throws -> Result
    ) -> Observable<Result> {
        Producer { sink in
            let join = Join(endsEarly: endsEarly)
            let result = plan(join)
            join.combine = { sink.next(try result()) }
            join.end = { error in
                if let error { sink.error(error) } else { sink.completed() }
            }
            sink.begin(with: join)
            if join.running == 0 { return sink.completed() }
            let starts = join.starts
            join.starts = []
            for start in starts where !join.subscriptions.isDisposed { start() }
        }
    }

    /// A slot with the newest element of `source`.
    func latest<Source: ObservableConvertibleType>(of source: Source) -> LatestSlot<Source.Element> {
        let slot = LatestSlot<Source.Element>(of: self)
        start(slot, with: source)
        return slot
    }

    /// A slot with all elements of `source`, each to be taken once and in order.
    func queue<Source: ObservableConvertibleType>(of source: Source) -> QueueSlot<Source.Element> {
        let slot = QueueSlot<Source.Element>(of: self)
        start(slot, with: source)
        return slot
    }

    private func start<Source: ObservableConvertibleType>(_ slot: JoinSlot<Source.Element>, with source: Source) {
        missing += 1
        running += 1
        let source = source.asObservable()
        starts.append { source.subscribe(slot) }
    }

    func dispose() {
        subscriptions.dispose()
        // The slots lead back here: that ends when whoever is at work is done.
        drain.submit(self, to: handle)
    }

    func pause() { subscriptions.pause() }
    func resume() { subscriptions.resume() }

    fileprivate func handle(_ member: any Backlogged) {
        member.handleNext()
    }

    fileprivate func filled() {
        do {
            if missing == 0 {
                try combine()
            } else if running == 1, endsEarly {
                // All others have ended, and one of them left its slot empty.
                end(nil)
            }
        } catch {
            end(error)
        }
    }

    fileprivate func ended(with error: (any Error)?) {
        running -= 1
        if error != nil || running == 0 { end(error) }
    }
}

/// What has left something with a drain.
private protocol Backlogged: AnyObject {
    func handleNext()
}

extension Join: Backlogged {
    fileprivate func handleNext() {
        combine = {}
        end = { _ in }
    }
}

/// One source of a ``Join``, and what it has said.
class JoinSlot<Element>: Sink<Element> {
    fileprivate let join: Join
    private var number = -1

    fileprivate init(of join: Join) {
        self.join = join
    }

    /// Keeps an element.
    fileprivate func keep(_ element: Element) {}

    final override func begin(with subscription: any Disposable) {
        number = join.subscriptions.insert(subscription)
    }

    final override func next(_ element: Element) {
        if join.drain.enter() {
            accept(element)
            join.drain.leave(to: join.handle)
        } else {
            leave(.next(element))
        }
    }

    final override func error(_ error: any Error) {
        join.subscriptions.remove(number)
        leave(.error(error))
    }

    final override func completed() {
        join.subscriptions.remove(number)
        leave(.completed)
    }

    private func leave(_ event: Event<Element>) {
        join.drain.submit(Remark(event, by: self), to: join.handle)
    }

    fileprivate final func handle(_ event: Event<Element>) {
        if join.subscriptions.isDisposed { return }
        switch event {
        case .next(let element): accept(element)
        case .error(let error): join.ended(with: error)
        case .completed: join.ended(with: nil)
        }
    }

    private func accept(_ element: Element) {
        if join.subscriptions.isDisposed { return }
        keep(element)
        join.filled()
    }
}

/// What a source has said while somebody was at work, or last.
private final class Remark<Element>: Backlogged {
    private let event: Event<Element>
    private let slot: JoinSlot<Element>

    init(_ event: Event<Element>, by slot: JoinSlot<Element>) {
        self.event = event
        self.slot = slot
    }

    func handleNext() {
        slot.handle(event)
    }
}

final class LatestSlot<Element>: JoinSlot<Element> {
    private var latest: Element?

    /// The newest element; there is one when results are asked for.
    var value: Element { latest.unsafelyUnwrapped }

    fileprivate override func keep(_ element: Element) {
        if latest == nil { join.missing -= 1 }
        latest = element
    }
}

final class QueueSlot<Element>: JoinSlot<Element> {
    private var elements = Fifo<Element>()

    /// Takes the oldest element; there is one when results are asked for.
    var value: Element {
        let element = elements.popFirst().unsafelyUnwrapped
        if elements.isEmpty { join.missing += 1 }
        return element
    }

    fileprivate override func keep(_ element: Element) {
        if elements.isEmpty { join.missing -= 1 }
        elements.append(element)
    }
}
