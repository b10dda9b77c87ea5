public import Synchronization

/// Where the observers of a hot source meet: events, arrivals and departures are signals of one ``Drain``, so that every
/// observer gets exactly the events sent after it came, one at a time and in order, whichever threads send them.
@usableFromInline
final class Hub<Element>: @unchecked Sendable {
    @usableFromInline
    enum Signal {
        case event(Event<Element>)
        case join(HubMember<Element>)
        case leave(HubMember<Element>)
        /// Nobody listens any more; nor could anybody speak, if the subject has gone.
        case shut(isGone: Bool)
    }

    @usableFromInline let drain = Drain<Signal>()
    @usableFromInline let count = Atomic<Int>(0)

    // Touched under the drain alone.
    @usableFromInline var members: [HubMember<Element>] = []
    @usableFromInline var stop: Event<Element>?
    @usableFromInline var isShut = false

    @inlinable
    init() {}

    /// Whether anybody listens; exact on the thread that subscribes or disposes, also while an event is on its way.
    var hasMembers: Bool { count.load(ordering: .acquiring) > 0 }

    @inlinable
    func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal(), to: handle)
    }

    /// Lets everybody go without a word.
    ///
    /// - Parameter isGone: the subject is being deallocated, so that nothing can be under way to the observers, and those
    ///   that only it kept alive go too.
    func shut(isGone: Bool) {
        submit(.shut(isGone: isGone))
    }

    /// Lets `sink` hear what comes from now on.
    func join(_ sink: Sink<Element>) {
        let member = HubMember(sink, of: self, isReady: true)
        sink.begin(with: member)
        if !member.isDisposed { submit(.join(member)) }
    }

    /// Lets `sink` hear what `past` tells, at once, and then what comes after that.
    ///
    /// - Parameter past: called under the drain's lock; a stop event means that nothing comes after.
    func join(_ sink: Sink<Element>, after past: () -> (elements: [Element], stop: Event<Element>?)) {
        let member = HubMember(sink, of: self, isReady: false)
        sink.begin(with: member)
        if member.isDisposed { return }
        let (elements, stop) = drain.submit(
            .join(member),
            recording: {
                let past = past()
                return (past.stop == nil, past)
            }, to: handle)
        if stop != nil { member.uncount() }
        member.catchUp(with: elements, stop: stop)
    }

    @inlinable
    func handle(_ signal: Signal) {
        switch signal {
        case .event(let event):
            if stop != nil || isShut { return }
            if event.isStopEvent {
                finish(with: event)
            } else {
                for member in members { member.receive(event) }
            }
        case .join(let member):
            arrive(member)
        case .leave(let member):
            if let index = members.firstIndex(where: { $0 === member }) { members.remove(at: index) }
        case .shut(let isGone):
            isShut = true
            for member in members {
                member.uncount()
                if isGone { member.sink = nil }
            }
            members = []
        }
    }

    @usableFromInline
    func arrive(_ member: HubMember<Element>) {
        if stop != nil || isShut {
            member.uncount()
            if let stop { member.receive(stop) }
        } else if !member.isDisposed {
            members.append(member)
        }
    }

    @usableFromInline
    func finish(with event: Event<Element>) {
        stop = event
        let last = members
        members = []
        for member in last { member.uncount() }
        for member in last { member.receive(event) }
    }
}
