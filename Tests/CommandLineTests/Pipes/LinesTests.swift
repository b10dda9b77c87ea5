import Foundation
import Freshet
import XCTest

@testable import freshet_cli

final class LinesTests: XCTestCase {
    /// Pieces as they are asked for, and whether they may come.
    private final class Source: Pausable, @unchecked Sendable {
        let pieces = PublishSubject<[UInt8]>()
        private(set) var isHeld = false

        var stream: Observable<[UInt8]> {
            .create { observer in
                let subscription = self.pieces.subscribe(observer)
                return Both(source: self, subscription: subscription)
            }
        }

        func pause() { isHeld = true }
        func resume() { isHeld = false }
        func dispose() {}

        private struct Both: Pausable {
            let source: Source
            let subscription: any Disposable
            func pause() { source.pause() }
            func resume() { source.resume() }
            func dispose() { subscription.dispose() }
        }
    }

    private final class Heard: @unchecked Sendable {
        var lines: [String] = []
        var end: Event<InputLine>?

        func note(_ event: Event<InputLine>) {
            if case .next(let line) = event {
                lines.append(String(decoding: line.bytes ?? [], as: UTF8.self))
            } else {
                end = event
            }
        }
    }

    func testLinesComeUntilNobodyWantsAnyMoreAndTheSourceIsHeldWhileSomeAreLeft() {
        let source = Source()
        let heard = Heard()
        let place = SerialDisposable()
        place.disposable = source.stream.lines(longest: 100).subscribe { event in
            heard.note(event)
            if heard.lines.count == 2 { place.pause() }
        }
        source.pieces.onNext(Array("a\nb\nc\nd\ne".utf8))
        XCTAssertEqual(heard.lines, ["a", "b"])
        XCTAssertTrue(source.isHeld)
        place.resume()
        XCTAssertEqual(heard.lines, ["a", "b", "c", "d"])
        XCTAssertFalse(source.isHeld)
        source.pieces.onCompleted()
        XCTAssertEqual(heard.lines, ["a", "b", "c", "d", "e"])
        XCTAssertEqual(heard.end?.isCompleted, true)
    }

    func testTheEndWaitsForTheLinesBeforeIt() {
        let source = Source()
        let heard = Heard()
        let place = SerialDisposable()
        place.pause()
        place.disposable = source.stream.lines(longest: 100).subscribe(heard.note)
        source.pieces.onNext(Array("a\n".utf8))
        source.pieces.onError(RxError.timeout)
        XCTAssertEqual(heard.lines, [])
        XCTAssertNil(heard.end)
        place.resume()
        XCTAssertEqual(heard.lines, ["a"])
        XCTAssertNotNil(heard.end?.error)
    }

    func testNothingComesAfterTheSubscriptionHasEnded() {
        let source = Source()
        let heard = Heard()
        let place = SerialDisposable()
        place.disposable = source.stream.lines(longest: 100).subscribe { event in
            heard.note(event)
            place.dispose()
        }
        source.pieces.onNext(Array("a\nb\n".utf8))
        XCTAssertEqual(heard.lines, ["a"])
        XCTAssertFalse(source.pieces.hasObservers)
    }
}
