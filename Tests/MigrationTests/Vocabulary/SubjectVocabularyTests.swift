import Freshet
import XCTest

final class SubjectVocabularyTests: VocabularyTestCase {
    func testAPublishSubjectWorksAsInRxSwift() {
        let subject = PublishSubject<Int>()
        let bag = DisposeBag()
        XCTAssertFalse(subject.hasObservers)
        subject.subscribe().disposed(by: bag)
        XCTAssertTrue(subject.hasObservers)
        subject.onNext(1)
        subject.on(.next(2))
        subject.asObserver().onNext(3)
        subject.onCompleted()
        XCTAssertFalse(subject.isDisposed)
        subject.dispose()
        XCTAssertTrue(subject.isDisposed)
        let void = PublishSubject<Void>()
        void.onNext(())
    }

    func testSubjectsWithAReplayWorkAsInRxSwift() throws {
        let behavior = BehaviorSubject(value: 1)
        let typed = BehaviorSubject<[String]>(value: [])
        XCTAssertEqual(try behavior.value(), 1)
        behavior.onNext(2)
        XCTAssertEqual(elements(of: behavior.take(1)), [2])
        XCTAssertEqual(try typed.value(), [])
        let replay = ReplaySubject<Int>.create(bufferSize: 1)
        replay.onNext(1)
        XCTAssertEqual(elements(of: replay), [1])
        let unbounded = ReplaySubject<Int>.createUnbounded()
        for number in 1...3 { unbounded.onNext(number) }
        XCTAssertEqual(elements(of: unbounded), [1, 2, 3])
        let last = AsyncSubject<Int>()
        last.onNext(1)
        last.onNext(2)
        last.onCompleted()
        XCTAssertEqual(elements(of: last), [2])
    }

    func testSubjectsConvertToObservablesAndObservers() {
        let subject = PublishSubject<Int>()
        let observable: Observable<Int> = subject
        let observer: AnyObserver<Int> = AnyObserver(subject)
        let bag = DisposeBag()
        let copy = ReplaySubject<Int>.create(bufferSize: 1)
        observable.subscribe(copy).disposed(by: bag)
        observer.onNext(1)
        XCTAssertEqual(elements(of: copy.take(1)), [1])
        func send<Subject: SubjectType>(_ subject: Subject) -> Observable<Subject.Element> { subject.asObservable() }
        XCTAssertEqual(elements(of: send(copy).take(1)), [1])
    }
}
