import Freshet
import FreshetTesting
import XCTest

final class CoreTypesVocabularyTests: VocabularyTestCase {
    func testEventsHaveThePropertiesOfRxSwift() {
        let next = Event.next(1)
        let failed = Event<Int>.error(Failure.first)
        let completed = Event<Int>.completed
        XCTAssertEqual(next.element, 1)
        XCTAssertNil(next.error)
        XCTAssertTrue(failed.error is Failure)
        XCTAssertTrue(completed.isCompleted)
        XCTAssertEqual([next, failed, completed].map(\.isStopEvent), [false, true, true])
        XCTAssertEqual(next.map { "\($0)" }, .next("1"))
        XCTAssertEqual(next.event, next)
        XCTAssertEqual("\(next)", "next(1)")
    }

    func testObserversAreCreatedAsInRxSwift() {
        let seen = scheduler.createObserver(Int.self)
        let any = AnyObserver<Int> { seen.on($0) }
        any.onNext(1)
        AnyObserver(eventHandler: seen.on).onNext(2)
        AnyObserver(seen).on(.next(3))
        seen.asObserver().onNext(4)
        let texts: AnyObserver<String> = any.mapObserver { $0.count }
        texts.onNext("five!")
        XCTAssertEqual(seen.events.compactMap(\.value.element), [1, 2, 3, 4, 5])
    }

    func testRxErrorHasTheCasesOfRxSwift() {
        let errors: [RxError] = [
            .unknown, .disposed(object: PublishSubject<Int>()), .overflow, .argumentOutOfRange, .noElements,
            .moreThanOneElement, .timeout,
        ]
        XCTAssertEqual(errors.count, 7)
        if case .timeout? = errors.last {} else { XCTFail("not a timeout") }
    }

    func testSourcesConvertToObservables() {
        let observable: Observable<Int> = Observable.just(1).asObservable()
        let sources: [Observable<Int>] = [
            observable, Single.just(1).asObservable(), Maybe.just(1).asObservable(),
            PublishSubject<Int>().asObservable(),
            RxObservable.just(1),
        ]
        XCTAssertEqual(elements(of: Observable.concat(sources.prefix(2))), [1, 1])
        func element<Source: ObservableType>(_ source: Source) -> Observable<String> where Source.Element == Int {
            source.map { "\($0)" }
        }
        func doubled<Number: RxAbstractInteger & SendableMetatype>(_ source: Observable<Number>) -> Observable<Number> {
            source.map { $0 * 2 }
        }
        XCTAssertEqual(elements(of: doubled(observable)), [2])
        func elementOf<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
            source.asObservable()
        }
        XCTAssertEqual(elements(of: element(observable)), ["1"])
        XCTAssertEqual(elements(of: elementOf(Single.just(1))), [1])
        let behaviors: [TakeBehavior] = [.inclusive, .exclusive]
        XCTAssertEqual(behaviors.count, 2)
    }
}
