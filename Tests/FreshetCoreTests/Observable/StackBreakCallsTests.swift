import XCTest

@testable import FreshetCore

/// Tests pausing and ending long chains inside a call that goes up another chain, or the same one.
final class StackBreakCallsTests: CoreTestCase {
    /// A chain in which each operator has a subscription of its own.
    private func long(_ source: Observable<Int>, _ length: Int = 150) -> Observable<Int> {
        (0..<length).reduce(source) { chain, _ in chain.do(onDispose: {}) }
    }

    func testALongChainIsPausedAndResumedInsideTheDisposalOfAnother() {
        let source = ControlledSource<Int>()
        let held = ObserverSubscriber(Recorder<Int>())
        long(source.stream).subscribe(held)
        let other = PublishSubject<Int>()
        let ended = Observable<Int>.create { _ in
            Disposables.create {
                held.pause()
                held.resume()
                XCTAssertEqual(source.log, ["pause", "resume"])
                held.dispose()
                XCTAssertEqual(source.observers, 0)
            }
        }
        long(Observable.merge(ended, other)).subscribe().dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
    }

    func testASourceThatEmitsAtAResumeIsPausedInTime() {
        let inners = (0..<3).map { _ in PublishSubject<Int>() }
        let taken = Log<Int>()
        let subscription = long(.from(0..<1000).do(onNext: { taken.append($0) }))
            .concatMap { inners[min($0, 2)] }
            .subscribe()
        XCTAssertEqual(taken.all, [0])
        inners[0].onCompleted()
        XCTAssertEqual(taken.all, [0, 1])
        inners[1].onCompleted()
        XCTAssertEqual(taken.all, [0, 1, 2])
        subscription.dispose()
    }

    func testADisposalInsideAResumedElementOfALongChainEndsTheSource() {
        let gate = PublishSubject<Int>()
        let taken = Counter()
        let source = Observable<Int>.concat(gate, .from(0..<1000).do(onNext: { _ in taken.increment() }))
        let subscription = SerialDisposable()
        subscription.disposable = long(source, 2000).subscribe(onNext: { if $0 == 5 { subscription.dispose() } })
        subscription.pause()
        gate.onCompleted()
        subscription.resume()
        XCTAssertEqual(taken.value, 6)
    }

    func testRule1AnErrorThrownBehindALongChainEndsTheResumedSource() {
        let gate = PublishSubject<Int>()
        let taken = Counter()
        let recorder = Recorder<Int>()
        let source = Observable<Int>.concat(gate, .from(0..<1000).do(onNext: { _ in taken.increment() }))
        let subscription = long(source, 2000).map { number in
            if number == 3 { throw Fault.first }
            return number
        }.subscribe(recorder)
        (subscription as? any Pausable)?.pause()
        gate.onCompleted()
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(recorder.events, [.next(0), .next(1), .next(2), .error(Fault.first)])
        XCTAssertEqual(taken.value, 4)
    }
}
