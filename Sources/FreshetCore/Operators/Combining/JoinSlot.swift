/// The sink of one source of a ``Join``, which stores the source's elements.
@usableFromInline
class JoinSlot<Element>: Sink<Element> {
    @usableFromInline final let join: Join
    private var number = -1

    @usableFromInline
    init(of join: Join) {
        self.join = join
    }

    /// Stores an element.
    @usableFromInline
    func store(_ element: Element) {}

    final override func begin(with subscription: any Disposable & AnyObject) {
        number = join.subscriptions.insert(subscription)
    }

    final override func next(_ element: Element) {
        if join.drain.enter() {
            accept(element)
            join.drain.finishTurn(to: join.handle)
        } else {
            enqueue(.next(element))
        }
    }

    final override func error(_ error: any Error) {
        join.subscriptions.remove(number)
        enqueue(.error(error))
    }

    final override func completed() {
        join.subscriptions.remove(number)
        enqueue(.completed)
    }

    // A separate function, so that `next` does not do the setup that only this function needs.
    @inline(never)
    private func enqueue(_ event: @autoclosure () -> Event<Element>) {
        join.drain.submit(BufferedEvent(event(), by: self), to: join.handle)
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
        store(element)
        join.filled()
    }
}

/// A stop event, or an element that has arrived while the drain was busy.
private final class BufferedEvent<Element>: DrainWork {
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

@usableFromInline
final class LatestSlot<Element>: JoinSlot<Element> {
    // The element has its own allocation, so that one element can replace another without the metadata of an optional.
    @usableFromInline let latest = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    // Unchecked for the same reason as ``Join/progress``.
    @exclusivity(unchecked) private var isFilled = false

    deinit {
        if isFilled { latest.deinitialize(count: 1) }
        latest.deallocate()
    }

    /// The latest element. The join reads it only when every slot has one.
    @inlinable var value: Element { latest.pointee }

    @usableFromInline
    override func store(_ element: Element) {
        if isFilled {
            latest.pointee = element
        } else {
            latest.initialize(to: element)
            isFilled = true
            join.progress.missing -= 1
        }
    }
}

@usableFromInline
final class QueueSlot<Element>: JoinSlot<Element> {
    /// The oldest element. Usually there is no other.
    @usableFromInline let oldest = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    // Unchecked for the same reason as ``Join/progress``.
    @exclusivity(unchecked) @usableFromInline var count = 0
    private var others = Fifo<Element>()

    deinit {
        if count > 0 { oldest.deinitialize(count: 1) }
        oldest.deallocate()
    }

    /// Removes and returns the oldest element. The join reads it only when every slot has one.
    @inlinable var value: Element {
        let element = oldest.move()
        count -= 1
        if count == 0 { join.progress.missing += 1 } else { advance() }
        return element
    }

    @usableFromInline
    override func store(_ element: Element) {
        count += 1
        if count == 1 {
            oldest.initialize(to: element)
            join.progress.missing -= 1
        } else {
            queue(element)
        }
    }

    @inline(never)
    private func queue(_ element: Element) {
        others.append(element)
    }

    @usableFromInline
    func advance() {
        if let next = others.popFirst() { oldest.initialize(to: next) }
    }
}
