import FreshetCore
import XCTest

final class DelayErrorTests: CoreTestCase {
    private let inputs = (0..<3).map { _ in ControlledSource<Int>() }

    private func observe<Element>(_ stream: Observable<Element>) -> (Recorder<Element>, SerialDisposable) {
        let recorder = Recorder<Element>()
        let subscription = SerialDisposable()
        subscription.disposable = stream.subscribe(recorder)
        return (recorder, subscription)
    }

    private func errors<Element>(of recorder: Recorder<Element>) -> [Fault]? {
        (recorder.error as? CompositeError)?.errors.compactMap { $0 as? Fault }
    }

    func testAMergeReportsAllErrorsInOrderWhenAllSourcesHaveEnded() {
        let (recorder, subscription) = observe(Observable.mergeDelayError(inputs.map(\.stream)))
        inputs[2].fail(Fault.second)
        inputs[0].send(1)
        inputs[0].fail(Fault.first)
        inputs[1].send(2)
        XCTAssertEqual(recorder.events, [.next(1), .next(2)])
        XCTAssertEqual(inputs.map(\.observers), [0, 1, 0])
        inputs[1].complete()
        XCTAssertEqual(errors(of: recorder), [.second, .first])
        XCTAssertEqual("\(recorder.error as Any)", "Optional(2 errors: second; first)")
        subscription.dispose()
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
        let (recorder, subscription) = observe(Observable.concatDelayError(inputs.map(\.stream)))
        inputs[0].send(1)
        inputs[0].fail(Fault.first)
        XCTAssertEqual(inputs.map(\.observers), [0, 1, 0])
        inputs[1].fail(Fault.second)
        inputs[2].send(3)
        inputs[2].complete()
        XCTAssertEqual(recorder.elements, [1, 3])
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        subscription.dispose()
    }

    func testTheErrorOfTheOuterStreamIsDelayed() {
        for flatten in [{ $0.mergeDelayError() }, { $0.concatDelayError() }]
            as [@Sendable (Observable<Observable<Int>>) -> Observable<Int>]
        {
            let outer = ControlledSource<Observable<Int>>(), inner = ControlledSource<Int>()
            let (recorder, subscription) = observe(flatten(outer.stream))
            outer.send(inner.stream)
            outer.fail(Fault.first)
            inner.send(1)
            XCTAssertEqual(recorder.events, [.next(1)])
            inner.fail(Fault.second)
            XCTAssertEqual(errors(of: recorder), [.first, .second])
            subscription.dispose()
        }
    }

    func testTheLastElementOfAFailedSourceIsStillCombined() {
        let (recorder, subscription) = observe(Observable.combineLatestDelayError(inputs.map(\.stream)))
        inputs[0].send(1)
        inputs[0].fail(Fault.first)
        inputs[1].send(2)
        inputs[2].send(3, 4)
        XCTAssertEqual(recorder.elements, [[1, 2, 3], [1, 2, 4]])
        inputs[2].complete()
        inputs[1].complete()
        XCTAssertEqual(recorder.error as? Fault, .first)
        subscription.dispose()
    }

    func testACombinationWaitsForAllSourcesWhenNoResultIsPossible() {
        let (recorder, subscription) = observe(Observable.combineLatestDelayError(inputs.map(\.stream)))
        inputs[0].fail(Fault.first)
        inputs[1].complete()
        inputs[2].send(1)
        XCTAssertEqual(recorder.events.count, 0)
        inputs[2].fail(Fault.second)
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        subscription.dispose()
    }

    func testAnErrorOfTheSelectorEndsACombinationAtOnce() {
        let stream = Observable<Int>.combineLatestDelayError(inputs.map(\.stream)) { _ in throw Fault.second }
        let (recorder, subscription) = observe(stream)
        inputs[0].send(1)
        inputs[0].fail(Fault.first)
        inputs[1].send(1)
        inputs[2].send(1)
        XCTAssertEqual(errors(of: recorder), [.first, .second])
        XCTAssertEqual(inputs.map(\.observers), [0, 0, 0])
        subscription.dispose()
    }

    func testEachSubscriptionCollectsItsOwnErrors() {
        let stream = Observable.mergeDelayError(Observable<Int>.error(Fault.first), .just(1))
        for _ in 0..<2 { XCTAssertEqual(stream.record().events, [.next(1), .error(Fault.first)]) }
    }

    func testConcatDelayErrorStartsNoSourceDuringAPause() {
        let (_, subscription) = observe(Observable.concatDelayError(inputs.map(\.stream)))
        subscription.pause()
        inputs[0].fail()
        XCTAssertEqual(inputs[1].subscriptions, 0)
        subscription.resume()
        XCTAssertEqual(inputs[1].subscriptions, 1)
        subscription.dispose()
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
