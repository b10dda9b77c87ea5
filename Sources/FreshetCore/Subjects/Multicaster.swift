public import Synchronization

/// Delivers the events of a hot source to its observers. Events, joins and removals are signals of one ``Drain``.
/// Therefore every observer receives exactly the events that are sent after it joined, one at a time and in order,
/// whichever threads send them.
@usableFromInline
final class Multicaster<Element>: @unchecked Sendable {
    @usableFromInline let drain = Drain<MulticastSignal<Element>>()
    @usableFromInline let count = Atomic<Int>(0)
    @usableFromInline let disposed = Atomic<Bool>(false)

    // Accessed only by the draining thread. Unchecked: with exclusivity checks here and in a member, one observer's
    // element takes 1.3 times as long, that of eight observers 2.0 times.
    @exclusivity(unchecked) @usableFromInline var members = ObserverList()
    @usableFromInline var stop: StopEvent?

    // Created in the inlinable initializer, where the compiler knows the types. Methods of a generic class that are not
    // inlined do not know them.
    @usableFromInline let send: (Multicaster, UnsafePointer<Element>) -> Void
    @usableFromInline let begin: (Multicaster, Sink<Element>) -> MulticastObserver<Element>

    @inlinable
    init() {
        send = { $0.next($1.pointee) }
        begin = { multicaster, sink in
            let member = MulticastObserver(sink, of: multicaster, isReady: true)
            sink.begin(with: member)
            return member
        }
    }

    /// Like ``next(_:)``, for callers that do not know the type of the element.
    func sendNext(_ element: Element) {
        withUnsafePointer(to: element) { send(self, $0) }
    }

    /// Whether there are observers. The result is exact on a thread that subscribes or disposes, also while an event is
    /// being delivered. On another thread it is `true` once the observer receives the events that this thread sends.
    var hasMembers: Bool { count.load(ordering: .acquiring) > 0 }

    /// Whether ``shut(isGone:)`` was called.
    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @inlinable
    func next(_ element: Element) {
        if drain.enter() {
            broadcast(element)
            drain.finishTurn(to: handle)
        } else if drain.enqueue(.event(.next(element))) {
            drain.drain(to: handle)
        }
    }

    @inlinable
    func on(_ event: Event<Element>) {
        if case .next(let element) = event { return next(element) }
        drain.submit(.event(event), to: handle)
    }

    /// Removes all observers without sending them an event.
    ///
    /// - Parameter isGone: whether the subject is being deallocated. In that case no event can be on its way to an
    ///   observer, and observers that only the subject kept alive are released too.
    func shut(isGone: Bool) {
        disposed.store(true, ordering: .releasing)
        if !isGone || count.load(ordering: .acquiring) > 0 { submitShut(isGone: isGone) }
    }

    /// Sends `sink` all events from now on.
    func join(_ sink: Sink<Element>) {
        let member = begin(self, sink.inCurrentContext)
        if member.isDisposed { return }
        guard drain.enter() else { return enqueueJoin(of: member) }
        arrive(member)
        member.count()
        if !drain.step() { drainRest() }
    }

    /// Sends `sink` the events that `past` returns at once, and then all later events.
    ///
    /// - Parameter past: called under `lock`. If it returns a stop event, no event follows.
    func join(
        _ sink: Sink<Element>, under lock: borrowing Lock,
        after past: () -> (elements: [Element], stop: Event<Element>?)
    ) {
        let sink = sink.inCurrentContext
        let member = MulticastObserver(sink, of: self, isReady: false)
        sink.begin(with: member)
        if member.isDisposed { return }
        let (elements, stop) = drain.submit(
            .join(member), under: lock,
            recording: {
                let past = past()
                return (past.stop == nil, past)
            }, to: handle)
        if stop == nil { member.count() } else { member.uncount() }
        member.catchUp(with: elements, stop: stop)
    }

    func remove(_ member: MulticastObserver<Element>) {
        guard drain.enter() else { return enqueueLeave(of: member) }
        members.remove(member)
        if !drain.step() { drainRest() }
    }

    // Separate functions for a busy multicaster, because they name signal types, whose metadata is looked up before a
    // function branches.

    @inline(never)
    private func enqueueJoin(of member: MulticastObserver<Element>) {
        let isAtWork = drain.enqueue(.join(member))
        member.count()
        if isAtWork { drain.drain(to: handle) }
    }

    @inline(never)
    private func enqueueLeave(of member: MulticastObserver<Element>) {
        if drain.enqueue(.remove(member)) { drain.drain(to: handle) }
    }

    @inline(never)
    private func submitShut(isGone: Bool) { drain.submit(.shut(isGone: isGone), to: handle) }

    @inline(never)
    private func drainRest() { drain.drain(to: handle) }

    @inlinable
    func broadcast(_ element: Element) {
        if members.first != nil {
            withoutRetaining(members.first.unsafelyUnwrapped) {
                unsafeDowncast($0, to: MulticastObserver<Element>.self).next(element)
            }
        }
        guard let others = members.others else { return }
        for index in 0..<members.otherCount where others[index] != nil {
            withoutRetaining(others[index].unsafelyUnwrapped) {
                unsafeDowncast($0, to: MulticastObserver<Element>.self).next(element)
            }
        }
    }

    @usableFromInline
    func handle(_ signal: MulticastSignal<Element>) {
        switch signal {
        case .event(.next(let element)): broadcast(element)
        case .event(.error(let error)): finish(with: .error(error))
        case .event(.completed): finish(with: .completed)
        case .join(let member): arrive(member)
        case .remove(let member): members.remove(member)
        case .shut(let isGone):
            for member in dismiss() {
                member.uncount()
                if isGone { member.release() }
            }
        }
    }

    private func arrive(_ member: MulticastObserver<Element>) {
        if members.isOver {
            member.uncount()
            if let stop { member.receive(stop: stop) }
        } else if !member.isDisposed {
            members.append(member)
        }
    }

    private func finish(with event: StopEvent) {
        if members.isOver { return }
        stop = event
        let last = dismiss()
        for member in last { member.uncount() }
        for member in last { member.receive(stop: event) }
    }

    private func dismiss() -> [MulticastObserver<Element>] {
        return members.removeAll().map { unsafeDowncast($0, to: MulticastObserver<Element>.self) }
    }
}

/// The stop event of a stream.
@usableFromInline
enum StopEvent {
    case error(any Error)
    case completed
}

/// A signal that a ``Multicaster`` queues while it is delivering.
@usableFromInline
enum MulticastSignal<Element> {
    case event(Event<Element>)
    case join(MulticastObserver<Element>)
    case remove(MulticastObserver<Element>)
    /// Removes all observers. If the subject has been deallocated, no event can follow either.
    case shut(isGone: Bool)
}
