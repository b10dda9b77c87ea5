import FreshetCore
import FreshetTesting

/// A small use of one operator, for tests that hold of all of them.
struct Shape: Sendable {
    enum Kind {
        /// One source, of which the events pass through.
        case linear
        /// Several sources, or one that starts others: it has to make their events serial.
        case combining
        /// A source of its own, which knows nothing of the stand's.
        case source
    }

    /// As the declaration says it: the name and the labels.
    let name: String
    let kind: Kind
    /// Whether it never has an element.
    let isSilent: Bool
    /// Whether its events come from a task, and so at their own time.
    let isAsynchronous: Bool
    let make: @Sendable (Stand) -> Observable<Int>

    init(
        _ name: String, _ kind: Kind = .linear, isSilent: Bool = false, isAsynchronous: Bool = false,
        _ make: @escaping @Sendable (Stand) -> Observable<Int>
    ) {
        self.name = name
        self.kind = kind
        self.isSilent = isSilent
        self.isAsynchronous = isAsynchronous
        self.make = make
    }

    static let all: [Shape] =
        creating + transforming + filtering + merging + joining + timing + recovering + sharing + utility + bridging
}

/// Three sources and a clock, all worked by hand.
final class Stand: Sendable {
    let a = PublishSubject<Int>()
    let b = PublishSubject<Int>()
    let c = PublishSubject<Int>()
    let scheduler = TestScheduler(initialClock: 0)

    var hasObservers: Bool { a.hasObservers || b.hasObservers || c.hasObservers }

    enum Ending: CaseIterable {
        case completed, firstFails, lastFails
    }

    /// One step after the other. Everything is said more than once, and differs from what was said before.
    func steps(_ ending: Ending) -> [() -> Void] {
        let tick = { self.scheduler.advanceBy(1) }
        let middle: [() -> Void] = [
            tick, { self.a.onNext(1) }, { self.b.onNext(10) }, { self.c.onNext(100) }, { self.a.onNext(2) }, tick,
            { self.b.onNext(20) }, { self.a.onNext(2) }, { self.c.onNext(200) }, tick, tick, { self.a.onNext(3) },
        ]
        let end: [() -> Void]
        switch ending {
        case .completed:
            end = [{ self.a.onCompleted() }, { self.b.onNext(30) }, { self.b.onCompleted() }, { self.c.onCompleted() }]
        case .firstFails:
            end = [{ self.a.onError(Fault.first) }, { self.b.onNext(30) }, { self.b.onCompleted() }]
        case .lastFails:
            end = [{ self.b.onNext(30) }, { self.c.onError(Fault.second) }, { self.b.onError(Fault.first) }]
        }
        return middle + end + Array(repeating: tick, count: 6)
    }
}

extension ObservableType {
    /// For a shape with elements of another type.
    func counted() -> Observable<Int> { map { _ in 1 } }
}
