import XCTest

@testable import FreshetCore

final class StackBreakTests: CoreTestCase {
    private let length = 100_000

    func testALongChainWithoutASubscriptionIsReleasedOnASmallStack() {
        onASmallStack { [length] in
            var chain: Observable<Int> = .never()
            for _ in 0..<length { chain = chain.map { $0 + 1 } }
            XCTAssertGreaterThan(chain.depth, length)
        }
    }

    func testALongChainIsSubscribedToAndDisposedOfOnASmallStack() {
        onASmallStack { [length] in
            let source = PublishSubject<Int>()
            var chain: Observable<Int> = source
            for index in 0..<length { chain = index % 2 == 0 ? chain.map { $0 + 1 } : chain.filter { $0 > 0 } }
            let subscription = chain.subscribe(onNext: { _ in XCTFail("no source emitted") })
            XCTAssertTrue(source.hasObservers)
            subscription.dispose()
            XCTAssertFalse(source.hasObservers)
        }
    }

    func testElementsAndTheCompletionPassALongChain() {
        var chain: Observable<Int> = .of(1, 2, 3)
        for _ in 0..<200 { chain = chain.map { $0 + 1 } }
        let events = Locked<[Event<Int>]>([])
        _ = chain.subscribe { event in events.withLock { $0.append(event) } }
        XCTAssertEqual(events.withLock { $0 }, [.next(201), .next(202), .next(203), .completed])
    }

    func testAnInnerStreamIsSubscribedToBeforeItsSubscribingCallReturns() {
        let inner = PublishSubject<Int>()
        var chain: Observable<Int> = inner
        for _ in 0..<200 { chain = chain.map { $0 + 1 } }
        let long = chain
        let results = Locked<[Int]>([])
        let subscription = Observable.of(1, 2)
            .flatMap { number -> Observable<Int> in
                if number == 2 { inner.onNext(0) }
                return number == 1 ? long : .empty()
            }
            .subscribe(onNext: { element in results.withLock { $0.append(element) } })
        XCTAssertEqual(results.withLock { $0 }, [200])
        subscription.dispose()
    }

    func testAnErrorPassesALongChain() {
        var chain: Observable<Int> = .error(RxError.unknown)
        for _ in 0..<200 { chain = chain.map { $0 + 1 } }
        let errors = Locked(0)
        _ = chain.subscribe(onError: { _ in errors.withLock { $0 += 1 } })
        XCTAssertEqual(errors.withLock { $0 }, 1)
    }

    private func long(_ source: Observable<Int>) -> Observable<Int> {
        (0..<200).reduce(source) { chain, _ in chain.map { $0 + 1 } }
    }

    func testOnSubscribedIsCalledAfterTheSourceOfALongChainSubscribed() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            log.append("source")
            observer.onNext(0)
            return Disposables.create()
        }
        long(source).do(onNext: { _ in log.append("next") }, onSubscribed: { log.append("subscribed") })
            .subscribe().dispose()
        XCTAssertEqual(log.all, ["source", "next", "subscribed"])
    }

    func testASamplerIsSubscribedToAfterTheSource() {
        XCTAssertEqual(long(.never()).sample(Observable.just(0), defaultValue: 7).take(1).record().elements, [7])
        let source = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = long(source.startWith(1)).sample(Observable.just(0)).subscribe(recorder)
        XCTAssertEqual(recorder.elements, [201])
        subscription.dispose()
    }

    func testALongChainSubscribedToInsideADisposalRunsWhenTheCallReturns() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let outer = PublishSubject<Int>()
        let chains = [long(first), long(second)]
        let inner = SerialDisposable()
        let ending = Locked<AnyObserver<Int>?>(nil)
        let source = Observable<Int>.create { observer in
            ending.withLock { $0 = observer }
            return Disposables.create {
                inner.disposable = outer.flatMapLatest { chains[$0] }.subscribe()
                outer.onNext(0)
            }
        }
        // The second source begins, which ends the first one, which subscribes again.
        let subscription = Observable<Int>.concat([source, long(.never())]).subscribe()
        ending.withLock { $0 }?.onCompleted()
        ending.withLock { $0 = nil }
        XCTAssertTrue(first.hasObservers)
        outer.onNext(1)
        XCTAssertFalse(first.hasObservers)
        XCTAssertTrue(second.hasObservers)
        inner.dispose()
        subscription.dispose()
        XCTAssertFalse(second.hasObservers)
    }
}
