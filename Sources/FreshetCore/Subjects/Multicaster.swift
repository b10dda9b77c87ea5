public import Synchronization

/// Where the observers of a hot source meet: events, arrivals and departures are signals of one ``Drain``, so that every
/// observer gets exactly the events sent after it came, one at a time and in order, whichever threads send them.
@usableFromInline
final class Multicaster<Element>: @unchecked Sendable {
    @usableFromInline let drain = Drain<MulticastSignal<Element>>()
    @usableFromInline let count = Atomic<Int>(0)
    @usableFromInline let disposed = Atomic<Bool>(false)

    // Touched by the one at work alone. Unchecked: with checks here and in a member, one observer's element takes 1.3 times
    // as long, that of eight 2.0 times.
    @exclusivity(unchecked) @usableFromInline var members = ObserverList()
    @usableFromInline var stop: StopEvent?

    // Made where the types are known, which methods of a generic class that are not inlined do not learn.
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

    /// As ``next(_:)``, for callers that do not know what an element is.
    func sendNext(_ element: Element) {
        withUnsafePointer(to: element) { send(self, $0) }
    }

    /// Whether anybody listens; exact on the thread that subscribes or disposes, also while an event is on its way. To others
    /// it says so once what they send is heard.
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

    /// Lets everybody go without a word.
    ///
    /// - Parameter isGone: the subject is being deallocated, so that nothing can be under way to the observers, and those
    ///   that only it kept alive go too.
    func shut(isGone: Bool) {
        disposed.store(true, ordering: .releasing)
        if !isGone || count.load(ordering: .acquiring) > 0 { submitShut(isGone: isGone) }
    }

    /// Lets `sink` hear what comes from now on.
    func join(_ sink: Sink<Element>) {
        let member = begin(self, sink.inCurrentContext)
        if member.isDisposed { return }
        guard drain.enter() else { return enqueueJoin(of: member) }
        arrive(member)
        member.count()
        if !drain.step() { drainRest() }
    }

    /// Lets `sink` hear what `past` tells, at once, and then what comes after that.
    ///
    /// - Parameter past: called under `lock`; a stop event means that nothing comes after.
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

    // What only a busy hub needs stands apart: it names types of signals, which are looked up before a function branches.

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
        guard members.first != nil else { return }
        withoutRetaining(members.first.unsafelyUnwrapped) {
            unsafeDowncast($0, to: MulticastObserver<Element>.self).next(element)
        }
        guard let others = members.others else { return }
        for index in 0..<members.otherCount {
            withoutRetaining(others[index]) { unsafeDowncast($0, to: MulticastObserver<Element>.self).next(element) }
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

/// How a stream has ended.
@usableFromInline
enum StopEvent {
    case error(any Error)
    case completed
}

/// What a ``Multicaster`` is told while it is at work.
@usableFromInline
enum MulticastSignal<Element> {
    case event(Event<Element>)
    case join(MulticastObserver<Element>)
    case remove(MulticastObserver<Element>)
    /// Nobody listens any more; nor could anybody speak, if the subject has gone.
    case shut(isGone: Bool)
}
