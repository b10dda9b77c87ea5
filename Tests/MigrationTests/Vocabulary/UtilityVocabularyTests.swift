import Freshet
import FreshetTesting
import XCTest

final class UtilityVocabularyTests: VocabularyTestCase {
    private let numbers = Observable.of(1, 2)

    func testDoAndDebugCompileAsInRxSwift() {
        let seen = scheduler.createObserver(Int.self)
        let watched = numbers.do(onNext: { seen.onNext($0) })
            .do(onError: { print($0) }, onCompleted: { seen.onCompleted() })
            .do(onSubscribe: {}, onSubscribed: {}, onDispose: {})
            .do(
                onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in }, onCompleted: {},
                afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
        XCTAssertEqual(elements(of: watched), [1, 2])
        XCTAssertEqual(seen.events.map(\.value), [.next(1), .next(2), .completed])
        XCTAssertEqual(elements(of: Observable.just(1).debug("debug", trimOutput: true)), [1])
        XCTAssertEqual(elements(of: Observable.just(1).debug()), [1])
    }

    func testStreamsAreSubscribedToAsInRxSwift() {
        let bag = DisposeBag()
        let seen = scheduler.createObserver(Int.self)
        let subject = PublishSubject<Int>()
        subject.subscribe(seen).disposed(by: bag)
        numbers.subscribe(onNext: { subject.onNext($0) }).disposed(by: bag)
        numbers.subscribe(onNext: subject.onNext).disposed(by: bag)
        numbers.subscribe(onNext: { print($0) }, onError: { print($0) }, onCompleted: {}, onDisposed: {}).disposed(
            by: bag)
        numbers.subscribe(onCompleted: { print("completed") }).disposed(by: bag)
        numbers.subscribe { event in
            switch event {
            case .next(let number): print(number)
            case .error(let error): print(error)
            case .completed: break
            }
        }.disposed(by: bag)
        numbers.subscribe {
            print($0)
        } onError: {
            print($0)
        } onCompleted: {
            print("done")
        }.disposed(by: bag)
        numbers.subscribe { (event: Event<Int>) in print(event.element as Any) }.disposed(by: bag)
        numbers.subscribe().disposed(by: bag)
        XCTAssertEqual(seen.events.count, 4)
    }

    func testWithUnretainedCompilesAsInRxSwift() {
        let bag = DisposeBag()
        let owner = Owner()
        numbers.subscribe(with: owner, onNext: { owner, number in owner.seen.onNext(number) }).disposed(by: bag)
        numbers.subscribe(
            with: owner, onNext: { $0.seen.onNext($1) }, onError: { _, _ in }, onCompleted: { _ in },
            onDisposed: { _ in }
        ).disposed(by: bag)
        numbers.withUnretained(owner).subscribe(onNext: { owner, number in owner.seen.onNext(number) }).disposed(
            by: bag)
        XCTAssertEqual(elements(of: numbers.withUnretained(owner) { _, number in number * 2 }), [2, 4])
        XCTAssertEqual(elements(of: numbers.withUnretained(owner).map { $0.1 }), [1, 2])
        XCTAssertEqual(elements(of: owner.seen.take(1)), [2])
    }
}

private final class Owner: Sendable {
    let seen = ReplaySubject<Int>.create(bufferSize: 1)
}
