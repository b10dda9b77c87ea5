import FreshetCore
import FreshetTesting
import XCTest

/// Tests that sequences take turns on the current thread, with one element of each, whichever code has subscribed to them.
final class TurnSemanticsTests: CoreTestCase {
    private let log = Log<String>()

    func testASequenceSubscribedToInsideAnElementOfASequenceWaitsForItsTurn() {
        _ = Observable.of(1, 2).subscribe(onNext: { [log] number in
            log.append("outer \(number)")
            _ = Observable.of(10, 20).subscribe(onNext: { log.append("\(number): \($0)") })
            log.append("after \(number)")
        })
        XCTAssertEqual(
            log.all,
            ["outer 1", "after 1", "1: 10", "outer 2", "after 2", "1: 20", "2: 10", "2: 20"])
    }

    func testASequenceSubscribedToInsideAnElementOfASubjectEndsWithinTheCall() {
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: { [log] number in
            _ = Observable.of(10, 20).subscribe(onNext: { log.append("\(number): \($0)") })
            log.append("after \(number)")
        })
        subject.onNext(1)
        XCTAssertEqual(log.all, ["1: 10", "1: 20", "after 1"])
        subscription.dispose()
    }

    func testJustSubscribedToInsideAnElementOfASequenceDoesNotWait() {
        _ = Observable.of(1, 2).subscribe(onNext: { [log] number in
            _ = Observable.just(10).subscribe(onNext: { log.append("\(number): \($0)") })
            log.append("after \(number)")
        })
        XCTAssertEqual(log.all, ["1: 10", "after 1", "2: 10", "after 2"])
    }

    func testWorkScheduledInsideAnElementRunsBeforeTheNextElement() {
        _ = Observable.of(1, 2).subscribe(
            onNext: { [log] number in
                _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                    log.append("work \(number)")
                    return Disposables.create()
                }
                log.append("element \(number)")
            }, onCompleted: { [log] in log.append("completed") })
        XCTAssertEqual(log.all, ["element 1", "work 1", "element 2", "work 2", "completed"])
    }

    private let few = Observable.of(1, 2), tens = Observable.of(10, 20)

    func testSequencesAreCombinedInTurns() {
        XCTAssertEqual(Observable.combineLatest(few, tens) { $0 + $1 }.record().elements, [11, 12, 22])
        XCTAssertEqual(Observable.merge(few, tens).record().elements, [1, 10, 2, 20])
        XCTAssertEqual(few.withLatestFrom(tens) { $0 + $1 }.record().elements, [11, 22])
        XCTAssertEqual(few.amb(tens).record().elements, [1, 2])
        XCTAssertEqual(few.sample(tens).record().elements, [1, 2])
    }

    func testTakeUntilAndSkipUntilASequenceWorkInTurns() {
        XCTAssertEqual(few.take(until: tens).record().events, [.completed])
        XCTAssertEqual(Observable.of(1, 2, 3).skip(until: tens).record().events, [.next(2), .next(3), .completed])
        XCTAssertEqual(few.concat(tens).record().elements, [1, 2, 10, 20])
    }

    func testASequenceOfSequencesIsFlattenedInTurns() {
        let inner: @Sendable (Int) -> Observable<Int> = { .of($0 * 10, $0 * 10 + 1) }
        let outer = Observable.of(1, 2, 3)
        XCTAssertEqual(outer.flatMap(inner).record().elements, [10, 11, 20, 21, 30, 31])
        XCTAssertEqual(outer.flatMapLatest(inner).record().elements, [10, 20, 30, 31])
        XCTAssertEqual(outer.flatMapFirst(inner).record().elements, [10, 11])
        XCTAssertEqual(outer.concatMap(inner).record().elements, [10, 11, 20, 21, 30, 31])
    }

    func testSideEffectsOfAChainNestAroundTheSubscription() {
        let chain = ["a", "b"].reduce(Observable.of(1)) { [log] stream, name in
            stream.do(
                onNext: { _ in log.append("\(name) next") }, afterNext: { _ in log.append("\(name) after") },
                onCompleted: { log.append("\(name) completed") }, onSubscribe: { log.append("\(name) subscribe") },
                onSubscribed: { log.append("\(name) subscribed") }, onDispose: { log.append("\(name) dispose") })
        }
        _ = chain.subscribe()
        XCTAssertEqual(
            log.all,
            [
                "b subscribe", "a subscribe", "a subscribed", "b subscribed", "a next", "b next", "b after", "a after",
                "a completed", "b completed", "a dispose", "b dispose",
            ])
    }

    func testEventsSentInsideTheDisposalOfASourceAreDropped() {
        let source = Observable<Int>.create { observer in
            Disposables.create {
                observer.onNext(1)
                observer.onCompleted()
            }
        }
        let recorder = Recorder<Int>()
        source.subscribe(recorder).dispose()
        XCTAssertEqual(recorder.events, [])
    }

    func testObserversThatResubscribeInsideTheStopEventShareOneConnection() {
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            for count in 0...2 {
                let subject = PublishSubject<Int>(), other = PublishSubject<Int>()
                let starts = Log<Int>()
                let shared = Observable<Int>.deferred {
                    starts.append(1)
                    return starts.all.count == 1 ? subject : other
                }.share(replay: count, scope: scope)
                let late = [Recorder<Int>(), Recorder<Int>()]
                let bag = CompositeDisposable()
                for late in late {
                    bag.insert(
                        shared.subscribe(Recorder<Int> { if $0.isStopEvent { bag.insert(shared.subscribe(late)) } }))
                }
                subject.onNext(1)
                subject.onNext(2)
                subject.onError(Fault.first)
                other.onNext(3)
                let kept: [Event<Int>] = Array([.next(1), .next(2), .error(Fault.first)].suffix(count + 1))
                let expected = scope == .forever ? kept : [.next(3)]
                XCTAssertEqual(late.map(\.events), [expected, expected])
                XCTAssertEqual(starts.all.count, scope == .forever ? 1 : 2)
                bag.dispose()
            }
        }
    }
}
