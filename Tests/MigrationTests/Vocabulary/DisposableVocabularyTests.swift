import Freshet
import FreshetTesting
import XCTest

final class DisposableVocabularyTests: VocabularyTestCase {
    func testDisposablesAreCreatedAsInRxSwift() {
        let flags = (1...3).map { _ in BooleanDisposable() }
        Disposables.create().dispose()
        Disposables.create { flags[0].dispose() }.dispose()
        Disposables.create(with: flags[1].dispose).dispose()
        Disposables.create(flags[0], flags[1]).dispose()
        Disposables.create(flags[0], flags[1], flags[2]).dispose()
        Disposables.create([flags[0]]).dispose()
        XCTAssertEqual(flags.map(\.isDisposed), [true, true, true])
        let cancelable: Cancelable = Disposables.create {}
        XCTAssertFalse(cancelable.isDisposed)
        XCTAssertTrue(BooleanDisposable(isDisposed: true).isDisposed)
    }

    func testContainersOfDisposablesWorkAsInRxSwift() {
        let flags = (1...6).map { _ in BooleanDisposable() }
        let composite = CompositeDisposable()
        let key = composite.insert(flags[0])
        XCTAssertEqual(composite.count, 1)
        if let key { composite.remove(for: key) }
        CompositeDisposable(flags[1]).dispose()
        CompositeDisposable(flags[1], flags[2]).dispose()
        CompositeDisposable(disposables: [flags[2]]).dispose()
        let serial = SerialDisposable()
        serial.disposable = flags[3]
        serial.dispose()
        let single = SingleAssignmentDisposable()
        single.setDisposable(flags[4])
        single.dispose()
        let counted = RefCountDisposable(disposable: flags[5])
        let retained = counted.retain()
        counted.dispose()
        retained.dispose()
        ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: flags[5]).dispose()
        XCTAssertEqual(flags.map(\.isDisposed), Array(repeating: true, count: 6))
    }

    func testDisposeBagsWorkAsInRxSwift() {
        let flags = (1...8).map { _ in BooleanDisposable() }
        var bag: DisposeBag? = DisposeBag()
        flags[0].disposed(by: bag!)
        bag?.insert(flags[1])
        bag?.insert(flags[2], flags[3])
        bag?.insert([flags[4]])
        bag?.insert {
            flags[5]
            flags[6]
        }
        bag = nil
        _ = DisposeBag(disposing: flags[6])
        _ = DisposeBag(disposing: [flags[6]])
        bag = DisposeBag {
            flags[6]
            flags[7]
        }
        bag = nil
        XCTAssertEqual(flags.map(\.isDisposed), Array(repeating: true, count: 8))
    }
}
