import Foundation
import Freshet
import XCTest

private class Label: NSObject, @unchecked Sendable {
    var text: String?
    var alpha = 1.0
    var changes = 0
}

final class BindingVocabularyTests: VocabularyTestCase {
    func testBindersAssignProperties() {
        let label = Label()
        let text = Binder<String?>(label) { label, text in label.text = text }
        XCTAssertEqual(elements(of: Observable.of("a", "b").do(onNext: { text.onNext($0) })), ["a", "b"])
        XCTAssertEqual(label.text, "b")
        let alpha = Binder(label, scheduler: CurrentThreadScheduler.instance) { (label: Label, alpha: Double) in
            label.alpha = alpha
        }
        Observable.just(0.5).subscribe(alpha).dispose()
        XCTAssertEqual(label.alpha, 0.5)
        let erased: AnyObserver<Double> = alpha.asObserver()
        erased.onNext(0.25)
        XCTAssertEqual(label.alpha, 0.25)
        let number: AnyObserver<Int> = alpha.mapObserver { Double($0) }
        number.onNext(2)
        XCTAssertEqual(label.alpha, 2)
    }

    func testReactivePropertiesAreBinders() {
        let label = Label()
        Observable.just("a").subscribe(label.rx.text).dispose()
        XCTAssertEqual(label.text, "a")
        let alpha: Binder<Double> = label.rx.alpha
        alpha.onNext(0)
        XCTAssertEqual(label.alpha, 0)
        label.rx.touched.onNext(())
        XCTAssertEqual(label.changes, 1)
        XCTAssertEqual(elements(of: Point(x: 1).rx.abscissa), [1])
        XCTAssertEqual(Reactive(label).base, label)
    }

    func testGroupByCompilesAsInRxSwift() {
        let groups: Observable<GroupedObservable<Bool, Int>> = Observable.of(1, 2, 3).groupBy { $0 > 1 }
        XCTAssertEqual(elements(of: groups.flatMap { group in group.map { (group.key ? 10 : 0) + $0 } }), [1, 12, 13])
        let counts = Observable.of("a", "bb", "c").groupBy(keySelector: { $0.count })
            .flatMap { group in group.toArray().map { "\(group.key): \($0.joined())" } }
        XCTAssertEqual(elements(of: counts).sorted(), ["1: ac", "2: bb"])
        XCTAssertEqual(elements(of: GroupedObservable(key: 1, source: Observable.just(2))), [2])
    }

    func testHooksCompileAsInRxSwift() {
        let handler = Hooks.defaultErrorHandler
        let capture = Hooks.customCaptureSubscriptionCallstack
        let failed = BooleanDisposable()
        Hooks.defaultErrorHandler = { callStack, error in
            if callStack.isEmpty, error is Failure { failed.dispose() }
        }
        Hooks.customCaptureSubscriptionCallstack = { [] }
        Hooks.recordCallStackOnError = false
        Observable<Int>.error(Failure.first).subscribe(onNext: { print($0) }).dispose()
        XCTAssertTrue(failed.isDisposed)
        Hooks.defaultErrorHandler = handler
        Hooks.customCaptureSubscriptionCallstack = capture
    }
}

private struct Point: ReactiveCompatible {
    let x: Int
}

extension Reactive where Base == Point {
    fileprivate var abscissa: Observable<Int> { .just(base.x) }
}

extension Reactive where Base: Label {
    fileprivate var touched: Binder<Void> {
        Binder(base) { label, _ in label.changes += 1 }
    }
}
