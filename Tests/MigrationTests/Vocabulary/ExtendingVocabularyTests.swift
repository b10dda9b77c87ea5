import Freshet
import FreshetTesting
import XCTest

final class ExtendingVocabularyTests: VocabularyTestCase {
    func testBindersAssignPropertiesOfAnOwnType() {
        let label = Label()
        let bag = DisposeBag()
        let binder = Binder(label, scheduler: CurrentThreadScheduler.instance) { (label: Label, text: String) in
            label.text.accept(text)
        }
        Observable.just("a").bind(to: binder).disposed(by: bag)
        binder.onNext("b")
        XCTAssertEqual(label.text.value, "b")
        let onMain: Binder<String> = Binder(label) { label, text in label.text.accept(text) }
        Observable.just("c").subscribe(onMain).disposed(by: bag)
        Observable.just("d").bind(to: label.rx.shown).disposed(by: bag)
        XCTAssertEqual(label.text.value, "d")
    }

    func testReactiveExtensionsExtendAnOwnType() {
        let label = Label()
        XCTAssertEqual(elements(of: label.rx.length.take(1)), [0])
        XCTAssertEqual(Label.rx.title, "label")
        XCTAssertTrue(label.rx.base === label)
    }

    func testTheDefaultErrorHandlerReceivesUnhandledErrors() {
        let before = Hooks.defaultErrorHandler
        let seen = scheduler.createObserver(String.self)
        Hooks.defaultErrorHandler = { _, error in seen.onNext("\(error)") }
        _ = Observable<Int>.error(Failure.first).subscribe()
        _ = Single<Int>.error(Failure.first).subscribe()
        _ = Maybe<Int>.error(Failure.first).subscribe(onSuccess: { print($0) })
        _ = Completable.error(Failure.second).subscribe()
        Hooks.defaultErrorHandler = before
        Hooks.recordCallStackOnError = false
        let capture = Hooks.customCaptureSubscriptionCallstack
        Hooks.customCaptureSubscriptionCallstack = capture
        XCTAssertEqual(seen.events.compactMap(\.value.element), ["first", "first", "first", "second"])
        XCTAssertGreaterThanOrEqual(Resources.total, 0)
    }
}

private final class Label: ReactiveCompatible, Sendable {
    let text = BehaviorRelay(value: "")
}

extension Reactive where Base: Label {
    fileprivate var length: Observable<Int> { base.text.map { $0.count } }
    fileprivate var shown: Binder<String> { Binder(base) { label, text in label.text.accept(text) } }
    fileprivate static var title: String { "label" }
}
