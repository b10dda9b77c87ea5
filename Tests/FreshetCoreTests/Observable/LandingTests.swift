import XCTest

@testable import FreshetCore

final class LandingTests: CoreTestCase {
    private let length = 100_000

    func testALongChainThatNobodyEverSubscribedToIsLetGoOfOnASmallStack() {
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
            let subscription = chain.subscribe(onNext: { _ in XCTFail("nobody emitted") })
            XCTAssertTrue(source.hasObservers)
            subscription.dispose()
            XCTAssertFalse(source.hasObservers)
        }
    }

    func testElementsAndTheEndPassTheLandings() {
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

    func testAnErrorPassesTheLandings() {
        var chain: Observable<Int> = .error(RxError.unknown)
        for _ in 0..<200 { chain = chain.map { $0 + 1 } }
        let errors = Locked(0)
        _ = chain.subscribe(onError: { _ in errors.withLock { $0 += 1 } })
        XCTAssertEqual(errors.withLock { $0 }, 1)
    }
}
