import Foundation
import XCTest

@testable import FreshetCore

/// Tests inner streams whose subscribing call, end and replacement happen at the same time.
final class FlatteningTurnsTests: CoreTestCase {
    private func expectInOrder(
        _ operate: (Observable<Int>, @escaping @Sendable (Int) -> Observable<Int>) -> Observable<Int>,
        line: UInt = #line
    ) {
        let inner = Observable<Int>.create { observer in
            onThreads(1) { _ in observer.onNext(1) }
            observer.onNext(2)
            observer.onCompleted()
            return Disposables.create()
        }
        XCTAssertEqual(operate(.just(0)) { _ in inner }.record().elements, [1, 2], line: line)
    }

    func testAnElementOfAnotherThreadDuringTheSubscriptionKeepsItsOrder() {
        expectInOrder { $0.flatMap($1) }
        expectInOrder { $0.flatMapLatest($1) }
        expectInOrder { $0.flatMapFirst($1) }
        expectInOrder { $0.concatMap($1) }
    }

    func testStreamsOfOneElementDoNotOverlapConcurrentStreams() {
        for round in 0..<20 {
            let outer = PublishSubject<Int>()
            let inner = PublishSubject<Int>()
            let recorder = UnsynchronizedRecorder<Int>()
            let select: @Sendable (Int) -> Observable<Int> = { number in
                number % 3 == 0 ? inner.take(2).map { _ in number } : number % 3 == 1 ? .just(number) : .empty()
            }
            let stream =
                round % 4 == 0
                ? outer.flatMap(select)
                : round % 4 == 1
                    ? outer.flatMapLatest(select)
                    : round % 4 == 2 ? outer.flatMapFirst(select) : outer.concatMap(select)
            let subscription = stream.subscribe(recorder)
            let done = Flag()
            let barrier = Barrier(2)
            onThreads(2) { thread in
                barrier.wait()
                if thread == 0 {
                    for number in 0..<3000 { outer.onNext(number) }
                    done.value = true
                } else {
                    // Without a bound the other thread might deliver these elements for ever, and never set `done`.
                    for _ in 0..<20_000 where !done.value { inner.onNext(0) }
                }
            }
            outer.onCompleted()
            for _ in 0..<10000 { if recorder.stops == 0 { inner.onNext(0) } }
            XCTAssertFalse(recorder.hasOverlapped)
            XCTAssertEqual(recorder.stops, 1, "round \(round)")
            if round % 4 == 3 { XCTAssertEqual(recorder.elements, recorder.elements.sorted()) }
            subscription.dispose()
        }
    }
}
