import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators whose elements cause the next elements of their sources: no element is lost, and none arrives twice.
final class FeedbackTests: CoreTestCase {
    private let last = 50

    /// The elements of the stream that `make` builds from two subjects.
    /// Inside each element up to the last one, `react` runs with the number of elements so far, and may send to the subjects.
    private func elements<Element>(
        of make: (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Element>,
        react: @escaping @Sendable (_ next: Int, PublishSubject<Int>, PublishSubject<Int>) -> Void,
        line: UInt = #line
    ) -> [Element] {
        let a = PublishSubject<Int>(), b = PublishSubject<Int>()
        let count = Counter(), last = last
        let recorder = Recorder<Element> { event in
            guard !event.isStopEvent else { return }
            let next = count.increment()
            if next <= last { react(next, a, b) }
        }
        let subscription = make(a, b).subscribe(recorder)
        react(0, a, b)
        a.onCompleted()
        b.onCompleted()
        XCTAssertEqual(recorder.overlaps, 0, line: line)
        XCTAssertTrue(recorder.hasCompleted, line: line)
        subscription.dispose()
        return recorder.elements
    }

    private var all: [Int] { Array(0...last) }

    func testRule7OperatorsWithSeveralSourcesLoseNoElementThatIsSentInsideAnother() {
        let alternating: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, b in
            next % 2 == 0 ? a.onNext(next) : b.onNext(next)
        }
        XCTAssertEqual(elements(of: { .merge($0, $1) }, react: alternating), all)
        XCTAssertEqual(elements(of: { Observable.of($0, $1).merge() }, react: alternating), all)
        XCTAssertEqual(elements(of: { Observable.of($0, $1).merge(maxConcurrent: 2) }, react: alternating), all)
        XCTAssertEqual(elements(of: { $0.amb($1) }, react: { next, a, _ in a.onNext(next) }), all)
        let both: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, b in
            a.onNext(next)
            b.onNext(next)
        }
        XCTAssertEqual(elements(of: { .zip($0, $1) { max($0, $1) } }, react: both), all)
        XCTAssertEqual(elements(of: { Observable.zip([$0, $1]).map { $0[1] } }, react: both), all)
        XCTAssertEqual(elements(of: { $0.sample($1) }, react: both), all)
        let second: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, b in
            if next == 0 { b.onNext(0) }
            a.onNext(next)
        }
        XCTAssertEqual(elements(of: { .combineLatest($0, $1) { $0 + $1 } }, react: second), all)
        XCTAssertEqual(elements(of: { Observable.combineLatest([$0, $1]).map { $0[0] } }, react: second), all)
        XCTAssertEqual(elements(of: { $0.withLatestFrom($1) { $0 + $1 } }, react: second), all)
        XCTAssertEqual(elements(of: { $0.skip(until: $1) }, react: second), all)
        XCTAssertEqual(elements(of: { $0.take(until: $1.skip(1)) }, react: second), all)
    }

    func testRule7FlatteningOperatorsLoseNoElementThatIsSentInsideAnother() {
        let outer: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, _ in a.onNext(next) }
        XCTAssertEqual(elements(of: { a, _ in a.flatMap { Observable.just($0) } }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.flatMapLatest { Observable.just($0) } }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.concatMap { Observable.just($0) } }, react: outer), all)
        XCTAssertEqual(
            elements(of: { a, _ in a.concatMapEager(maxConcurrent: 2) { Observable.just($0) } }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.groupBy { $0 % 3 }.flatMap { $0 } }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.expand { _ in Observable.empty() } }, react: outer), all)
        let inner: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, b in
            if next == 0 { a.onNext(0) }
            b.onNext(next)
        }
        XCTAssertEqual(elements(of: { a, b in a.flatMap { _ in b } }, react: inner), all)
        XCTAssertEqual(elements(of: { a, b in a.flatMapFirst { _ in b } }, react: inner), all)
        XCTAssertEqual(elements(of: { a, b in a.concatMap { _ in b } }, react: inner), all)
        XCTAssertEqual(elements(of: { a, b in a.map { _ in b }.switchLatest() }, react: inner), all)
    }

    func testRule7OperatorsWithOneSourceLoseNoElementThatIsSentInsideAnother() {
        let outer: @Sendable (Int, PublishSubject<Int>, PublishSubject<Int>) -> Void = { next, a, _ in a.onNext(next) }
        XCTAssertEqual(elements(of: { a, _ in a.share() }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.share(replay: 2, scope: .forever) }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.startWith().catchAndReturn(0).retry() }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.scan(0) { max($0, $1) }.take(51) }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.observe(on: CurrentThreadScheduler.instance) }, react: outer), all)
        XCTAssertEqual(elements(of: { a, _ in a.observe(on: ImmediateScheduler.instance) }, react: outer), all)
        XCTAssertEqual(
            elements(
                of: { a, _ in
                    a.buffer(timeSpan: .seconds(9), count: 1, scheduler: TestScheduler(initialClock: 0))
                        .compactMap(\.first)
                }, react: outer), all)
    }

    func testRule7AnElementSentByOneObserverReachesTheOthersInTheSameOrder() {
        let subject = PublishSubject<Int>()
        let shared = subject.share(replay: 1)
        let other = Recorder<Int>()
        let responding = Recorder<Int> { if let element = $0.element, element < 9 { subject.onNext(element + 1) } }
        let subscriptions = [shared.subscribe(responding), shared.subscribe(other)]
        subject.onNext(0)
        XCTAssertEqual(responding.elements, Array(0...9))
        XCTAssertEqual(other.elements, Array(0...9))
        subscriptions.forEach { $0.dispose() }
    }
}
