import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators that change from one source to another: which source ends before the other begins.
final class SuccessorSemanticsTests: CoreTestCase {
    private let log = Log<String>()

    private func source(_ name: String, _ events: Observable<Int>) -> Observable<Int> {
        .create { [log] observer in
            log.append("\(name) begins")
            let subscription = events.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                log.append("\(name) ends")
            }
        }
    }

    /// Subscribes, lets `subject` end, and returns the order in which the sources began and ended.
    private func order(_ make: (Observable<Int>, Observable<Int>) -> Observable<Int>, stop: Event<Int>) -> [String] {
        let subject = PublishSubject<Int>()
        let before = log.all.count
        let subscription = make(source("a", subject), source("b", .never())).subscribe()
        subject.on(stop)
        subscription.dispose()
        return Array(log.all.dropFirst(before))
    }

    private let oneAfterTheOther = ["a begins", "a ends", "b begins", "b ends"]

    func testTheSourceIsDisposedOfBeforeTheNextOneStarts() {
        XCTAssertEqual(order({ $0.concat($1) }, stop: .completed), oneAfterTheOther)
        XCTAssertEqual(order({ $0.ifEmpty(switchTo: $1) }, stop: .completed), oneAfterTheOther)
        XCTAssertEqual(
            order({ first, second in first.catch { _ in second } }, stop: .error(Fault.first)), oneAfterTheOther)
        XCTAssertEqual(order({ .catch(sequence: [$0, $1]) }, stop: .error(Fault.first)), oneAfterTheOther)
        XCTAssertEqual(
            order({ $0.ignoreElements().asCompletable().andThen($1) }, stop: .completed), oneAfterTheOther)
        XCTAssertEqual(
            order({ first, second in Observable.of(first, second).concatMap { $0 } }, stop: .completed),
            oneAfterTheOther)
    }

    func testAReplacedStreamIsDisposedOfBeforeTheNextOneStarts() {
        let outer = PublishSubject<Int>()
        let sources = [source("a", .never()), source("b", .never())]
        let subscription = outer.flatMapLatest { sources[$0] }.subscribe()
        outer.onNext(0)
        outer.onNext(1)
        subscription.dispose()
        XCTAssertEqual(log.all, oneAfterTheOther)
    }

    func testATimedOutSourceIsDisposedOfBeforeTheOtherStarts() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = [source("a", .never()), source("b", .never())]
        let subscription = sources[0].timeout(.seconds(10), other: sources[1], scheduler: scheduler).subscribe()
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(log.all, oneAfterTheOther)
    }

    func testAFailedSourceIsDisposedOfBeforeItIsRetried() {
        let subject = PublishSubject<Int>(), other = PublishSubject<Int>()
        let attempts = Log<Int>()
        let sources = [source("a", subject), source("b", other)]
        let source = Observable<Int>.deferred {
            attempts.append(1)
            return sources[attempts.all.count - 1]
        }
        let subscription = source.retry { (errors: Observable<any Error>) in errors }.subscribe()
        subject.onError(Fault.first)
        subscription.dispose()
        XCTAssertEqual(log.all, oneAfterTheOther)
    }

    func testOnDisposeOfASourceIsCalledBeforeTheNextOneStarts() {
        let first = Observable.just(1).do(onDispose: { [log] in log.append("first ends") })
        let second = Observable.just(2).do(onSubscribe: { [log] in log.append("second begins") })
        XCTAssertEqual(first.concat(second).record().elements, [1, 2])
        XCTAssertEqual(log.all, ["first ends", "second begins"])
    }

    func testTheHandlerOfACatchIsCalledOncePerSubscription() {
        let calls = Log<Int>()
        let stream = Observable<Int>.error(Fault.first).catch { _ in
            calls.append(1)
            return .error(Fault.second)
        }
        for _ in 0..<2 { XCTAssertEqual(stream.record().events, [.error(Fault.second)]) }
        XCTAssertEqual(calls.all.count, 2)
    }

    func testStartWithEmitsTheOutermostElementsFirst() {
        XCTAssertEqual(
            Observable.of(5).startWith(3, 4).startWith(1, 2).record().events,
            [.next(1), .next(2), .next(3), .next(4), .next(5), .completed])
        XCTAssertEqual(
            Observable<Int>.error(Fault.first).startWith(1).record().events, [.next(1), .error(Fault.first)])
    }

    func testAChainOfConcatenationsEmitsFromLeftToRight() {
        XCTAssertEqual(
            Observable.of(1).concat(Observable.of(2)).concat(Observable.of(3)).startWith(0).record().elements,
            [0, 1, 2, 3])
    }
}
