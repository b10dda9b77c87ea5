import Freshet
import XCTest

final class SharingVocabularyTests: VocabularyTestCase {
    private let numbers = Observable.of(1, 2, 3)

    func testShareCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.share()), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.share(replay: 1)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.share(replay: 1, scope: .whileConnected)), [1, 2, 3])
        let forever = numbers.share(replay: 2, scope: .forever)
        XCTAssertEqual(elements(of: forever), [1, 2, 3])
        XCTAssertEqual(elements(of: forever), [2, 3])
        let scope: SubjectLifetimeScope = .forever
        XCTAssertEqual(elements(of: numbers.share(scope: scope)), [1, 2, 3])
    }

    func testConnectablesCompileAsInRxSwift() {
        let bag = DisposeBag()
        let published: ConnectableObservable<Int> = numbers.publish()
        published.subscribe().disposed(by: bag)
        published.connect().disposed(by: bag)
        for connectable in [numbers.replay(2), numbers.replayAll(), numbers.multicast(PublishSubject<Int>())] {
            XCTAssertEqual(elements(of: connectable.refCount()), [1, 2, 3])
        }
        XCTAssertEqual(
            elements(of: numbers.multicast { ReplaySubject<Int>.create(bufferSize: 1) }.refCount()), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.multicast(makeSubject: { PublishSubject() }).refCount()), [1, 2, 3])
        let doubled = numbers.multicast({ PublishSubject<Int>() }) { shared in
            Observable.zip(shared, shared) { $0 + $1 }
        }
        XCTAssertEqual(elements(of: doubled), [2, 4, 6])
        XCTAssertEqual(elements(of: numbers.multicast({ PublishSubject() }, selector: { $0 })), [1, 2, 3])
    }
}
