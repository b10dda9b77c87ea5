import FreshetCore
import XCTest

/// Tests events that lead to events of the same stream. Other libraries call these a re-entrancy anomaly.
final class ReentrancyTests: CoreTestCase {
    /// RxSwift #1312: an observer responds to an element through the same subject.
    func testRule7AnElementSentInsideAnElementOfASubjectIsDeliveredAfterIt() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int> { _ in subject.onNext(2) }
        let subscription = subject.distinctUntilChanged().subscribe(recorder)
        subject.onNext(1)
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    /// RxSwift #1775: each step of a pairing runs inside the event of the step before.
    func testRule7AStateMachineThatSendsToItselfReachesItsLastState() {
        enum Happening { case idle, found, connected, paired }
        let happenings = BehaviorSubject(value: Happening.idle)
        let states = Recorder<String>()
        let stream = happenings.flatMapLatest { happening -> Observable<String> in
            switch happening {
            case .idle:
                happenings.onNext(.found)
                return .of("scanning")
            case .found:
                happenings.onNext(.connected)
                return .of("found", "connecting")
            case .connected:
                happenings.onNext(.paired)
                return .of("connected", "pairing")
            case .paired:
                return .just("paired")
            }
        }
        let subscription = stream.subscribe(states)
        XCTAssertEqual(states.elements.last, "paired")
        XCTAssertEqual(states.overlaps, 0)
        subscription.dispose()
    }

    /// RxBiBinding #20: two relays that follow each other.
    func testRule7TwoRelaysBoundToEachOtherSettleOnTheLatestValue() {
        let one = BehaviorRelay(value: 1), two = BehaviorRelay(value: 2)
        let links = [
            one.asObservable().distinctUntilChanged().bind(to: two),
            two.asObservable().distinctUntilChanged().bind(to: one),
        ]
        XCTAssertEqual([one.value, two.value], [1, 1])
        let recorders = [Recorder<Int>(), Recorder<Int>()]
        let subscriptions = [one.asObservable().subscribe(recorders[0]), two.asObservable().subscribe(recorders[1])]
        two.accept(3)
        one.accept(4)
        XCTAssertEqual([one.value, two.value], [4, 4])
        for recorder in recorders { XCTAssertEqual(recorder.overlaps, 0) }
        (links + subscriptions).forEach { $0.dispose() }
    }

    /// RxKingfisher #18: a request reports an error when it is cancelled, also after it has succeeded.
    func testRule7AnErrorEmittedDuringTheDisposalOfASingleIsDropped() {
        let results = Log<String>()
        let response = Locked<(@Sendable (SingleEvent<Int>) -> Void)?>(nil)
        let single = Single<Int>.create { observer in
            response.withLock { $0 = observer }
            return Disposables.create { observer(.failure(Fault.first)) }
        }
        let subscribe = {
            single.subscribe(onSuccess: { results.append("\($0)") }, onFailure: { results.append("\($0)") })
        }
        subscribe().dispose()
        XCTAssertEqual(results.all, [])
        let subscription = subscribe()
        response.withLock { $0 }?(.success(1))
        response.withLock { $0 = nil }
        subscription.dispose()
        XCTAssertEqual(results.all, ["1"])
    }

    /// A composable architecture's effect #6: the effect completes, and its completion cancels it.
    func testRule7AStreamThatIsCancelledByItsOwnCompletionCompletesOnce() {
        let cancel = PublishSubject<Void>()
        let effect = PublishSubject<Int>()
        let recorder = Recorder<Int> { if $0.isStopEvent { cancel.onNext(()) } }
        let subscription = effect.take(until: cancel).do(onCompleted: { cancel.onNext(()) }).subscribe(recorder)
        effect.onNext(1)
        effect.onCompleted()
        XCTAssertEqual(recorder.events, [.next(1), .completed])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    /// ReactiveCocoa #2035: `switchLatest` was interrupted inside an element, and waited for itself.
    func testRule7FlatMapLatestEndsInsideAnElementOfItsInnerStream() {
        let stream = Observable.just(1).flatMapLatest { _ in Observable.of(10, 11) }.take(1)
        XCTAssertEqual(stream.record().events, [.next(10), .completed])
    }
}
