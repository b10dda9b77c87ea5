import FreshetCore
import XCTest

final class MapErrorTests: CoreTestCase {
    func testMapErrorReplacesTheError() {
        let failing = Observable.just(1).concat(Observable.error(Fault.first))
        XCTAssertEqual(failing.mapError { _ in Fault.second }.record().events, [.next(1), .error(Fault.second)])
        XCTAssertEqual(failing.mapError { _ in throw Fault.second }.record().events, [.next(1), .error(Fault.second)])
        XCTAssertEqual(Observable.just(1).mapError { _ in Fault.second }.record().events, [.next(1), .completed])
        let single = Single<Int>.error(Fault.first).mapError { _ in Fault.second }
        XCTAssertEqual(single.asObservable().record().events, [.error(Fault.second)])
    }
}
