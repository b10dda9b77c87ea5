import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests responses that arrive while the client still sends the body of the request.
final class TransportDuplexTests: TransportTestCase {
    private func trickle(_ pieces: Int, from first: Int = 0) -> Observable<[UInt8]> {
        Observable<Int>.interval(.milliseconds(10), scheduler: LoopScheduler(loop)).take(pieces)
            .map { [UInt8]("piece \(first + $0) ".utf8) }
    }

    private static func response(_ size: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nX-A: b\r\n\r\n" + String(repeating: "x", count: size)
    }

    func testBothDirectionsArePausedSeparately() throws {
        let listener = LoopbackListener { $0.contains("piece 0") ? Self.response(2_000_000) : nil }
        defer { listener.close() }
        let rest = AsyncSubject<Void>()
        let following = trickle(29, from: 1)
        let body = trickle(1).concat(rest.flatMap { _ in following })
        let request = try Request(.post, listener.url, body: .stream(body))
        let outcome = Locked(Outcome())
        let heldAt = Locked<(received: Int, sent: Int)?>(nil)
        let done = DispatchSemaphore(value: 0)
        let held = DispatchSemaphore(value: 0)
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            transport().parts(request).subscribe { event in
                outcome.withLock { $0.record(event) }
                if case .next(.body) = event, heldAt.withLock({ $0 == nil }) {
                    subscription.pause()
                    heldAt.withLock { $0 = outcome.withLock { ($0.body.count, $0.sent.count) } }
                    held.signal()
                }
                if event.isStopEvent { done.signal() }
            })
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        rest.onNext(())
        rest.onCompleted()
        let until = Date().addingTimeInterval(30)
        while outcome.withLock({ $0.sent.count }) < 15, Date() < until { usleep(1000) }
        XCTAssertGreaterThanOrEqual(
            outcome.withLock { $0.sent.count }, 15, "the body stood while the response was held")
        XCTAssertLessThanOrEqual(heldAt.withLock { $0?.sent ?? .max }, 1)
        XCTAssertLessThan(outcome.withLock { $0.body.count }, 1_000_000)
        subscription.resume()
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success)
        subscription.dispose()
        XCTAssertEqual(outcome.withLock { $0.body.count }, 2_000_000)
        XCTAssertTrue(outcome.withLock { $0.isCompleted })
        XCTAssertEqual(outcome.withLock { $0.sent.last?.bytes }, (0..<30).reduce(0) { $0 + "piece \($1) ".count })
    }

    func testTheLoopSleepsWhileBothDirectionsArePaused() throws {
        let listener = LoopbackListener {
            $0.contains("piece 0") ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning" : nil
        }
        defer { listener.close() }
        let more = PublishSubject<[UInt8]>()
        let request = try Request(.post, listener.url, body: .stream(trickle(1).concat(more)))
        let sent = Locked(0)
        let held = DispatchSemaphore(value: 0)
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            transport().parts(request).subscribe { event in
                if case .next(.sent) = event { sent.withLock { $0 += 1 } }
                if case .next(.head) = event {
                    subscription.pause()
                    held.signal()
                }
            })
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        XCTAssertLessThan(turns(of: loop), 200)
        more.onNext(Array("piece 1".utf8))
        waitUntil("the second piece is sent") { sent.withLock { $0 } == 2 }
        XCTAssertLessThan(turns(of: loop), 200, "the loop watches for what nobody wants")
        subscription.dispose()
    }

    func testASuccessfulResponseToAPartialBodyIsDeliveredIfTheServerCloses() throws {
        let listener = LoopbackListener(leaves: true) { $0.contains("piece 1") ? Self.response(100) : nil }
        defer { listener.close() }
        let outcome = try outcome(transport(), listener.url, method: .post, body: .stream(trickle(1000)))
        XCTAssertEqual(outcome.head?.status, .ok)
        XCTAssertEqual(outcome.body.count, 100)
        XCTAssertTrue(outcome.isCompleted, outcome.error.map { "\($0)" } ?? "")
        XCTAssertLessThan(outcome.sent.count, 1000)
    }

    func testAServerThatClosesWhileTheSourceOfTheBodyIsSilentEndsTheTransfer() throws {
        for (text, code) in [
            ("", HTTPClientError.Code.connectionLost), (Self.response(100), nil),
            (Self.response(100).replacingOccurrences(of: "Content-Length", with: "X-Length"), nil),
            (String(Self.response(100).dropLast()), .connectionLost),
        ] {
            let listener = LoopbackListener(leaves: true) { $0.contains("piece 1") ? text : nil }
            defer { listener.close() }
            let body = RequestBody.stream(trickle(2).concat(Observable.never()))
            let outcome = try outcome(transport(), listener.url, method: .post, body: body)
            XCTAssertEqual(outcome.error?.code, code, "\(text.prefix(60)): \(outcome.error.debugDescription)")
            XCTAssertEqual(outcome.isCompleted, code == nil)
            XCTAssertEqual(outcome.sent.count, 2)
        }
    }

    func testAServerThatClosesWithoutAResponseLosesTheConnection() throws {
        let listener = LoopbackListener(leaves: true) { $0.contains("piece 1") ? "" : nil }
        defer { listener.close() }
        let outcome = try outcome(transport(), listener.url, method: .post, body: .stream(trickle(1000)))
        XCTAssertEqual(outcome.error?.code, .connectionLost)
        XCTAssertEqual(outcome.error?.isUnsent, false)
    }
}
