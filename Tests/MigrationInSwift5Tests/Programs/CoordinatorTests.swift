import Freshet
import XCTest

/// Tests coordinators that keep each other alive until their flow has a result.
final class CoordinatorTests: XCTestCase {
    func testAFlowEndsWithItsResult() {
        let disposeBag = DisposeBag()
        let app = AppCoordinator()
        var results: [String] = []
        app.start().subscribe(onNext: { results.append($0) }).disposed(by: disposeBag)
        XCTAssertEqual(app.children, 1)
        app.picker?.pick.onNext("blue")
        XCTAssertEqual(results, ["picked blue"])
        XCTAssertEqual(app.children, 0)
    }
}

private class BaseCoordinator<ResultType> {
    typealias CoordinationResult = ResultType

    let disposeBag = DisposeBag()
    private let identifier = UUID()
    private var childCoordinators: [UUID: Any] = [:]
    var children: Int { childCoordinators.count }

    func start() -> Observable<ResultType> {
        fatalError("start() has to be implemented")
    }

    func coordinate<T>(to coordinator: BaseCoordinator<T>) -> Observable<T> {
        childCoordinators[coordinator.identifier] = coordinator
        return coordinator.start()
            .do(onNext: { [weak self] _ in self?.childCoordinators[coordinator.identifier] = nil })
    }
}

private class PickerCoordinator: BaseCoordinator<String> {
    let pick = PublishSubject<String>()

    override func start() -> Observable<CoordinationResult> {
        pick.take(1)
    }
}

private class AppCoordinator: BaseCoordinator<String> {
    var picker: PickerCoordinator?

    override func start() -> Observable<String> {
        let picker = PickerCoordinator()
        self.picker = picker
        return coordinate(to: picker).map { "picked \($0)" }
    }
}
