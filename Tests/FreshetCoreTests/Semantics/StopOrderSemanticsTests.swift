import FreshetCore
import FreshetTesting
import XCTest

/// Tests whether a stop event reaches the observer before or after the disposal of the source.
final class StopOrderSemanticsTests: CoreTestCase {
    private typealias Operator = @Sendable (Observable<Int>) -> Observable<Int>

    private let scheduler = TestScheduler(initialClock: 0)
    private let stops: [Event<Int>] = [.completed, .error(Fault.first)]

    private func order(_ stop: Event<Int>, _ apply: Operator) -> [String] {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            let subscription = subject.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                log.append("source")
            }
        }
        let subscription = apply(source).subscribe(
            onError: { _ in log.append("stop") }, onCompleted: { log.append("stop") })
        subject.onNext(1)
        subject.on(stop)
        subscription.dispose()
        return log.all
    }

    func testAnOperatorWithOneSourceEmitsTheStopEventBeforeItDisposesOfTheSource() {
        let scheduler = scheduler
        let operators: [Operator] = [
            { $0 }, { $0.map { $0 } }, { $0.scan(0, accumulator: +) }, { $0.take(9) }, { $0.single() },
            { $0.takeLast(1) }, { $0.do(onNext: { _ in }) }, { $0.ifEmpty(default: 1) }, { $0.startWith(1) },
            { $0.toArray().asObservable().map(\.count) }, { $0.asSingle().asObservable() },
            { $0.materialize().map { _ in 1 } }, { $0.groupBy { $0 }.map(\.key) },
            { source in
                .using {
                    BooleanDisposable()
                } observableFactory: { _ in
                    source
                }
            },
            { $0.catch { throw $0 } }, { $0.retry(1) },
            { $0.timeout(.seconds(9), scheduler: scheduler) }, { $0.debounce(.seconds(9), scheduler: scheduler) },
            { $0.throttle(.seconds(9), scheduler: scheduler) }, { $0.take(for: .seconds(9), scheduler: scheduler) },
            { $0.skip(.seconds(9), scheduler: scheduler) },
            { $0.buffer(timeSpan: .seconds(9), count: 9, scheduler: scheduler).map(\.count) },
            { $0.window(timeSpan: .seconds(9), count: 9, scheduler: scheduler).map { _ in 1 } },
        ]
        for stop in stops {
            for (number, apply) in operators.enumerated() {
                XCTAssertEqual(order(stop, apply), ["stop", "source"], "\(number)")
            }
        }
    }

    func testAnOperatorWithSeveralSourcesDisposesOfTheSourceBeforeItEmitsTheStopEvent() {
        let other = PublishSubject<Int>()
        let operators: [Operator] = [
            { $0.flatMap { Observable.just($0) } }, { $0.flatMapLatest { Observable.just($0) } },
            { $0.flatMapFirst { Observable.just($0) } }, { $0.concatMap { Observable.just($0) } },
            { .merge($0, .empty()) }, { Observable.just($0).switchLatest() }, { Observable.just($0).concat() },
            { .combineLatest($0, Observable.just(1)) { $0 + $1 } }, { .zip($0, Observable.just(1)) { $0 + $1 } },
            { $0.withLatestFrom(other) }, { $0.take(until: other) }, { $0.skip(until: Observable.just(1)) },
            { $0.amb(other) }, { $0.share() }, { $0.share(replay: 1) }, { $0.share(replay: 1, scope: .forever) },
            { $0.multicast({ PublishSubject<Int>() }) { $0 } },
        ]
        for stop in stops {
            for (number, apply) in operators.enumerated() {
                XCTAssertEqual(order(stop, apply), ["source", "stop"], "\(number)")
            }
        }
    }
}
