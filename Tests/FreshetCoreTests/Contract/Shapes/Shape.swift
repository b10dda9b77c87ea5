import FreshetCore
import FreshetTesting

/// A small use of one operator, for tests that apply to all operators.
struct Shape: Sendable {
    enum Kind {
        /// An operator with one source, whose events pass through it.
        case linear
        /// An operator with several sources, or with one that starts others. It has to make their events serial.
        case combining
        /// An operator that is a source itself, and uses no source of the fixture.
        case source
    }

    /// The name and the labels of the operator's declaration.
    let name: String
    let kind: Kind
    /// Whether the operator never emits an element.
    let isSilent: Bool
    /// Whether the operator emits from a task, and so at a time of its own.
    let isAsynchronous: Bool
    let make: @Sendable (Fixture) -> Observable<Int>

    init(
        _ name: String, _ kind: Kind = .linear, isSilent: Bool = false, isAsynchronous: Bool = false,
        _ make: @escaping @Sendable (Fixture) -> Observable<Int>
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

/// Three sources and a clock that the test controls.
final class Fixture: Sendable {
    let a = PublishSubject<Int>()
    let b = PublishSubject<Int>()
    let c = PublishSubject<Int>()
    let scheduler = TestScheduler(initialClock: 0)

    var hasObservers: Bool { a.hasObservers || b.hasObservers || c.hasObservers }

    enum Ending: CaseIterable {
        case completed, firstFails, lastFails
    }

    /// The steps of a run, in order. Each source emits several elements, which differ.
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
    /// Replaces elements of another type by numbers.
    func counted() -> Observable<Int> { map { _ in 1 } }
}
