import FreshetCore
import FreshetTesting
import XCTest

/// Tests a subscription that is disposed of inside an event or a closure of its own stream.
final class DisposalSemanticsTests: CoreTestCase {
    private let log = Log<String>()
    private let subscription = SerialDisposable()
    private let subject = PublishSubject<Int>()

    override func tearDown() {
        subscription.dispose()
        super.tearDown()
    }

    /// A source that logs the end of its subscription.
    private var source: Observable<Int> {
        .create { [log, subject] observer in
            let subscription = subject.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                log.append("source")
            }
        }
    }

    private func subscribe(_ stream: Observable<Int>) {
        subscription.disposable = stream.subscribe(
            onNext: { [log] in log.append("next \($0)") }, onError: { [log] _ in log.append("error") },
            onCompleted: { [log] in log.append("completed") }, onDisposed: { [log] in log.append("disposed") })
    }

    func testADisposalInsideAnElementDisposesOfTheSourceAtOnce() {
        subscription.disposable = source.subscribe(
            onNext: { [log, subscription] number in
                log.append("begin \(number)")
                subscription.dispose()
                log.append("end \(number)")
            }, onCompleted: { [log] in log.append("completed") }, onDisposed: { [log] in log.append("disposed") })
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        XCTAssertEqual(log.all, ["begin 1", "source", "disposed", "end 1"])
    }

    func testAStopEventDisposesOfTheSourceAfterOnDisposed() {
        subscribe(source)
        subject.onCompleted()
        XCTAssertEqual(log.all, ["completed", "disposed", "source"])
        subscription.dispose()
        XCTAssertEqual(log.all.count, 3)
    }

    func testADisposalDisposesOfTheSourceBeforeOnDisposed() {
        subscribe(source.do(onDispose: { [log] in log.append("do") }))
        subscription.dispose()
        XCTAssertEqual(log.all, ["source", "do", "disposed"])
    }

    func testADisposalInsideAStopEventCallsOnDisposedAfterTheEvent() {
        for isError in [false, true] {
            let log = Log<String>(), subject = PublishSubject<Int>(), subscription = SerialDisposable()
            let stop: @Sendable () -> Void = {
                log.append("begin")
                subscription.dispose()
                log.append("end")
            }
            subscription.disposable = subject.subscribe(
                onError: { _ in stop() }, onCompleted: stop, onDisposed: { log.append("disposed") })
            if isError { subject.onError(Fault.first) } else { subject.onCompleted() }
            XCTAssertEqual(log.all, ["begin", "end", "disposed"])
        }
    }

    func testOnDisposeIsCalledAfterAfterCompleted() {
        subscribe(
            source.do(afterCompleted: { [log] in log.append("after") }, onDispose: { [log] in log.append("do") }))
        subject.onCompleted()
        XCTAssertEqual(log.all.filter { $0 != "source" }, ["completed", "disposed", "after", "do"])
    }

    func testADisposalInsideOnDisposedDoesNothing() {
        subscription.disposable = source.subscribe(onDisposed: { [log, subscription] in
            subscription.dispose()
            log.append("disposed")
        })
        subject.onCompleted()
        XCTAssertEqual(log.all, ["disposed", "source"])
    }

    func testADisposalInsideDoDropsTheElementForLaterClosures() {
        subscribe(
            source
                .do(
                    onNext: { [subscription] _ in subscription.dispose() },
                    afterNext: { [log] _ in log.append("after") }
                )
                .map { [log] number in
                    log.append("map")
                    return number
                })
        subject.onNext(1)
        XCTAssertEqual(log.all, ["source", "disposed", "after"])
    }

    func testADisposalInsideDoWithoutAfterNextDropsTheElementForLaterClosures() {
        subscribe(
            source.do(onNext: { [subscription] _ in subscription.dispose() }).do(onNext: { [log] _ in
                log.append("second")
            }))
        subject.onNext(1)
        XCTAssertEqual(log.all, ["source", "disposed"])
    }

    func testADisposalInsideOnCompletedOfDoDropsTheCompletion() {
        subscribe(
            source.do(onCompleted: { [subscription] in subscription.dispose() }).do(onCompleted: { [log] in
                log.append("second")
            }))
        subject.onCompleted()
        XCTAssertEqual(log.all, ["source", "disposed"])
    }

    func testADisposalInsideASelectorDropsItsResult() {
        let subscription = subscription, log = log
        let inner = Observable.just(7).do(onSubscribe: { log.append("inner") })
        @Sendable func ending<Value>(with value: Value) -> Value {
            subscription.disposable.dispose()
            return value
        }
        let streams: [(Observable<Int>) -> Observable<Int>] = [
            { $0.map { ending(with: $0) } },
            { $0.filter { _ in ending(with: true) } },
            { $0.compactMap { ending(with: $0) } },
            { $0.scan(0) { ending(with: $0 + $1) } },
            { $0.flatMap { _ in ending(with: inner) } },
            { $0.flatMapLatest { _ in ending(with: inner) } },
            { $0.flatMapFirst { _ in ending(with: inner) } },
            { $0.concatMap { _ in ending(with: inner) } },
            { $0.withLatestFrom(Observable.just(1)) { ending(with: $0 + $1) } },
            { Observable.combineLatest($0, Observable.just(1)) { ending(with: $0 + $1) } },
            { Observable.zip($0, Observable.just(1)) { ending(with: $0 + $1) } },
            { $0.take(until: { _ in ending(with: true) }, behavior: .inclusive) },
            { $0.skip(while: { _ in ending(with: false) }) },
            { $0.distinctUntilChanged { ending(with: $0) } },
            { $0.toArray().asObservable().map { _ in ending(with: 1) } },
        ]
        for stream in streams {
            let subject = PublishSubject<Int>()
            subscribe(stream(subject))
            subject.onNext(1)
            subject.onCompleted()
        }
        XCTAssertEqual(log.all, streams.map { _ in "disposed" })
    }

    func testADisposalInsideMapPassesTheElementToLaterClosures() {
        subscribe(
            source
                .map { [subscription] number in
                    subscription.dispose()
                    return number
                }
                .filter { [log] number in
                    log.append("filter \(number)")
                    return true
                })
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log.all, ["source", "disposed", "filter 1"])
    }

    func testABagReleasedInsideAnElementDropsTheRest() {
        final class Owner: @unchecked Sendable { var bag: DisposeBag? = DisposeBag() }
        let owner = Owner()
        if let bag = owner.bag {
            source.subscribe(
                onNext: { [log] number in
                    log.append("next \(number)")
                    owner.bag = nil
                }, onDisposed: { [log] in log.append("disposed") }
            ).disposed(by: bag)
        }
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log.all, ["next 1", "source", "disposed"])
    }

    func testTakeDisposesOfASynchronousSourceAfterItsClosureReturns() {
        let cut = Observable<Int>.create { [log] observer in
            for number in 1...3 { observer.onNext(number) }
            observer.onCompleted()
            log.append("subscribed")
            return Disposables.create { log.append("source") }
        }
        subscribe(cut.take(1))
        XCTAssertEqual(log.all, ["next 1", "completed", "disposed", "subscribed", "source"])
    }

    func testAnErrorSentInsideTheClosureOfCreateIsTheLastEvent() {
        subscribe(
            .create { observer in
                observer.onNext(1)
                observer.onError(Fault.first)
                observer.onNext(2)
                observer.onCompleted()
                return Disposables.create()
            })
        XCTAssertEqual(log.all, ["next 1", "error", "disposed"])
    }
}
