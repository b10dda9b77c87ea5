import Freshet
import FreshetTesting
import XCTest

/// Tests methods, initialisers, cases and functions that are passed as values. Operators and static methods are tested in Swift
/// 6 mode, because the compiler warns of them here.
final class FunctionsAsValuesTests: XCTestCase {
    private var seen: [Int] = []
    private let bag = DisposeBag()

    func testMethodsArePassedAsValues() {
        let numbers = Observable.of(1, 2, 3)
        numbers.map(double).filter(isLarge).concatMap(around).do(onNext: record).subscribe(onNext: self.record)
            .disposed(by: bag)
        XCTAssertEqual(seen, [3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 7, 7])
    }

    func testInitialisersCasesAndFunctionsArePassedAsValues() throws {
        let numbers = Observable.of(1, 2)
        XCTAssertEqual(try numbers.map(Model.init).toBlocking().toArray(), [Model(number: 1), Model(number: 2)])
        XCTAssertEqual(try numbers.map(Choice.number).toBlocking().toArray(), [.number(1), .number(2)])
        XCTAssertEqual(try numbers.map(half).toBlocking().toArray(), [0, 1])
        XCTAssertEqual(try Observable.of("1", "x").compactMap(Int.init).toBlocking().toArray(), [1])
        XCTAssertEqual(try Observable.zip(numbers, numbers, resultSelector: max).toBlocking().toArray(), [1, 2])
        let observer: (Event<Int>) -> Void = { event in self.seen += [event.element ?? 0] }
        numbers.subscribe(observer).disposed(by: bag)
        XCTAssertEqual(seen, [1, 2, 0])
        let subscribe: (AnyObserver<Int>) -> Disposable = { observer in numbers.subscribe(observer) }
        XCTAssertEqual(try Observable.create(subscribe).toBlocking().toArray(), [1, 2])
        let typed = Observable<Int>.create { (observer: AnyObserver<Int>) -> Disposable in
            let inner = numbers.subscribe(observer)
            return Disposables.create([inner, Disposables.create()])
        }
        XCTAssertEqual(try typed.toBlocking().toArray(), [1, 2])
    }

    private func double(_ number: Int) -> Int { number * 2 }
    private func isLarge(_ number: Int) throws -> Bool { number > 2 }
    private func around(_ number: Int) -> Observable<Int> { .of(number - 1, number, number + 1) }
    private func record(_ number: Int) { seen.append(number) }
}

private func half(_ number: Int) -> Int { number / 2 }

private struct Model: Equatable {
    let number: Int
}

private enum Choice: Equatable {
    case number(Int)
}
