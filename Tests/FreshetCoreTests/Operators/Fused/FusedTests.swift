import FreshetCore
import XCTest

final class FusedTests: CoreTestCase {
    private struct Refused: Error {}

    func testFusedStagesEmitWhatThePlainOperatorsEmit() {
        let numbers = Observable.range(start: 0, count: 100)
        let fused = numbers.fused
            .map { $0 * 3 }
            .filter { $0 % 2 == 0 }
            .compactMap { $0 % 5 == 0 ? nil : "\($0)" }
            .map(\.count)
            .asObservable()
        let plain =
            numbers
            .map { $0 * 3 }
            .filter { $0 % 2 == 0 }
            .compactMap { $0 % 5 == 0 ? nil : "\($0)" }
            .map(\.count)
        XCTAssertEqual(fused.record().events, plain.record().events)
    }

    func testAnErrorInAnyStageFailsTheStreamAndDisposesOfTheSource() {
        let runs: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.fused.map { _ in throw Refused() }.asObservable() },
            { $0.fused.map { $0 }.filter { _ in throw Refused() }.asObservable() },
            { $0.fused.compactMap { _ in throw Refused() }.map { (number: Int) in number }.asObservable() },
        ]
        for run in runs {
            let source = PublishSubject<Int>()
            let recorder = Recorder<Int>()
            _ = run(source).subscribe(recorder)
            source.onNext(1)
            XCTAssertEqual(recorder.events, [.error(Refused())])
            XCTAssertFalse(source.hasObservers)
        }
    }

    func testAFusedStreamWorksWithOtherOperators() {
        let inner = Observable.of(1, 2).fused.map { $0 * 10 }
        XCTAssertEqual(Observable.of(1, 2).concatMap { _ in inner }.record().elements, [10, 20, 10, 20])
    }

    func testAPauseReachesTheSourceOfAFusedStream() {
        let source = ControlledSource<Int>()
        let subscription = source.stream.fused.map { $0 + 1 }.subscribe(Recorder<Int>())
        (subscription as? any Pausable)?.pause()
        (subscription as? any Pausable)?.resume()
        subscription.dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
    }
}
