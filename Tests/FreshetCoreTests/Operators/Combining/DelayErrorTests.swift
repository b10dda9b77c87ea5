import FreshetCore
import XCTest

final class DelayErrorTests: CoreTestCase {
    private let wires = (0..<3).map { _ in Wire<Int>() }

    private func watch<Element>(_ stream: Observable<Element>) -> (Recorder<Element>, SerialDisposable) {
        let recorder = Recorder<Element>()
        let place = SerialDisposable()
        place.disposable = stream.subscribe(recorder)
        return (recorder, place)
    }

    private func errors<Element>(of recorder: Recorder<Element>) -> [Fault]? {
        (recorder.error as? CompositeError)?.errors.compactMap { $0 as? Fault }
    }

    func testAMergeReportsAllErrorsInOrderWhenAllSourcesHaveEnded() {
        let (recorder, place) = watch(Observable.mergeDelayError(wires.map(\.stream)))
        wires[2].fail(Fault.second)
        wires[0].send(1)
        wires[0].fail(Fault.first)
        wires[1].send(2)
        XCTAssertEqual(recorder.events, [.next(1), .next(2)])
        XCTAssertEqual(wires.map(\.observers), [0, 1, 0])
        wires[1].complete()
        XCTAssertEqual(errors(of: recorder), [.second, .first])
        XCTAssertEqual("\(recorder.error as Any)", "Optional(2 errors: second; first)")
        place.dispose()
    }

    func testASingleErrorIsNotWrapped() {
        let failing = Observable<Int>.error(Fault.second), one = Observable.just(1)
        XCTAssertEqual(Observable.mergeDelayError(failing, one).record().events, [.next(1), .error(Fault.second)])
        XCTAssertEqual(Observable.concatDelayError(failing, one).record().events, [.next(1), .error(Fault.second)])
        let latest = Observable.combineLatestDelayError([one.concat(failing), Observable.of(2, 3)]) { $0[1] }
        XCTAssertEqual(latest.record().error as? Fault, .second)
    }

    func testWithoutAnErrorTheOperatorsEmitWhatThePlainOnesEmit() {
        let sources = [Observable.of(1, 2), .of(3)]
        XCTAssertEqual(Observable.mergeDelayError(sources).record().events, Observable.merge(sources).record().events)
        XCTAssertEqual(Observable.concatDelayError(sources).record().events, Observable.concat(sources).record().events)
        XCTAssertEqual(
            Observable.combineLatestDelayError(sources).record().events,
            Observable.combineLatest(sources).record().events)
        XCTAssertEqual(Observable<Int>.mergeDelayError([]).record().events, [.completed])
        XCTAssertEqual(Observable<Int>.concatDelayError([]).record().events, [.completed])
        XCTAssertEqual(Observable<Int>.combineLatestDelayError([Observable<Int>]()).record().events, [.completed])
    }

    func testAConcatenationContinuesAfterAnError() {
        let (recorder, place) = watch(Observable.concatDelayError(wires.map(\.stream)))
        wires[0].send(1)
        wires[0].fail(Fault.first)
        XCTAssertEqual(wires.map(\.observers), [0, 1, 0])
        wires[1].fail(Fault.second)
        wires[2].send(3)
        wires[2].complete()
        XCTAssertEqual(recorder.elements, [1, 3])
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        place.dispose()
    }

    func testTheErrorOfTheOuterStreamIsDelayed() {
        for flatten in [{ $0.mergeDelayError() }, { $0.concatDelayError() }]
            as [@Sendable (Observable<Observable<Int>>) -> Observable<Int>]
        {
            let outer = Wire<Observable<Int>>(), inner = Wire<Int>()
            let (recorder, place) = watch(flatten(outer.stream))
            outer.send(inner.stream)
            outer.fail(Fault.first)
            inner.send(1)
            XCTAssertEqual(recorder.events, [.next(1)])
            inner.fail(Fault.second)
            XCTAssertEqual(errors(of: recorder), [.first, .second])
            place.dispose()
        }
    }

    func testTheLastElementOfAFailedSourceIsStillCombined() {
        let (recorder, place) = watch(Observable.combineLatestDelayError(wires.map(\.stream)))
        wires[0].send(1)
        wires[0].fail(Fault.first)
        wires[1].send(2)
        wires[2].send(3, 4)
        XCTAssertEqual(recorder.elements, [[1, 2, 3], [1, 2, 4]])
        wires[2].complete()
        wires[1].complete()
        XCTAssertEqual(recorder.error as? Fault, .first)
        place.dispose()
    }

    func testACombinationWaitsForAllSourcesWhenNoResultIsPossible() {
        let (recorder, place) = watch(Observable.combineLatestDelayError(wires.map(\.stream)))
        wires[0].fail(Fault.first)
        wires[1].complete()
        wires[2].send(1)
        XCTAssertEqual(recorder.events.count, 0)
        wires[2].fail(Fault.second)
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        place.dispose()
    }

    func testAnErrorOfTheSelectorEndsACombinationAtOnce() {
        let stream = Observable<Int>.combineLatestDelayError(wires.map(\.stream)) { _ in throw Fault.second }
        let (recorder, place) = watch(stream)
        wires[0].send(1)
        wires[0].fail(Fault.first)
        wires[1].send(1)
        wires[2].send(1)
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        XCTAssertEqual(wires.map(\.observers), [0, 0, 0])
        place.dispose()
    }

    func testEachSubscriptionCollectsItsOwnErrors() {
        let stream = Observable.mergeDelayError(Observable<Int>.error(Fault.first), .just(1))
        for _ in 0..<2 { XCTAssertEqual(stream.record().events, [.next(1), .error(Fault.first)]) }
    }

    func testConcatDelayErrorStartsNoSourceDuringAPause() {
        let (_, place) = watch(Observable.concatDelayError(wires.map(\.stream)))
        place.pause()
        wires[0].fail()
        XCTAssertEqual(wires[1].subscriptions, 0)
        place.resume()
        XCTAssertEqual(wires[1].subscriptions, 1)
        place.dispose()
    }

    func testManyFailingSourcesDoNotDeepenTheStack() {
        onASmallStack {
            let failing = Array(repeating: Observable<Int>.error(Fault.first), count: 50_000)
            let recorder = Observable.concatDelayError(failing).record()
            XCTAssertEqual((recorder.error as? CompositeError)?.errors.count, 50_000)
            let inner = Observable.from(failing).concatDelayError().record()
            XCTAssertEqual((inner.error as? CompositeError)?.errors.count, 50_000)
        }
    }
}
