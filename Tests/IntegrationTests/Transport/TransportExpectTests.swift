import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests responses that arrive before the body is sent, with and without an `Expect` field.
final class TransportExpectTests: TransportTestCase {
    private var server: ScriptedServer!

    override func tearDown() {
        server?.close()
        server = nil
        super.tearDown()
    }

    private func serve(
        reading: ScriptedServer.ReadPace = .unlimited,
        beforeBody: (@Sendable (RecordedRequest) -> ScriptedResponse?)? = nil
    ) throws {
        var configuration = ScriptedServer.Configuration()
        configuration.beforeBody = beforeBody
        configuration.readPace = reading
        server = try ScriptedServer(on: loop, configuration: configuration)
        server.route { _ in ScriptedResponse(body: "taken") }
    }

    private func endless(_ disposed: DispatchSemaphore) -> Observable<[UInt8]> {
        .repeatElement([UInt8](repeating: 0, count: 10_000)).do(onDispose: { disposed.signal() })
    }

    func testTheBodyIsSentAfterTheServerContinues() throws {
        try serve()
        let opened = Locked(false)
        let stream = Observable<[UInt8]>.deferred {
            opened.withLock { $0 = true }
            return .just([1, 2, 3])
        }
        for body in [RequestBody.stream(stream), .bytes([1, 2, 3]), .text("123")] {
            let outcome = try outcome(transport(), server.url, method: .post, body: body) {
                $0.expectsContinue = .seconds(20)
            }
            XCTAssertEqual(outcome.text, "taken")
            XCTAssertEqual(outcome.informational.map(\.status.code), [100])
            XCTAssertEqual(server.requests.last?.headers[.expect], "100-continue")
            XCTAssertEqual(server.requests.last?.body.count, 3)
        }
        let none = try outcome(transport(), server.url, method: .post) { $0.expectsContinue = .seconds(20) }
        XCTAssertEqual(none.text, "taken")
        XCTAssertNil(server.requests.last?.headers[.expect], "there is no body to wait for")
    }

    func testTheBodyIsSentAfterTheTimeoutForContinue() throws {
        let listener = LoopbackListener { request in
            request.contains("\r\n\r\n123")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok" : nil
        }
        defer { listener.close() }
        let outcome = try outcome(transport(), listener.url, method: .post, body: .text("123")) {
            $0.expectsContinue = .milliseconds(30)
        }
        XCTAssertEqual(outcome.text, "ok")
    }

    func testEveryBodyIsSentAfterTheTimeoutForContinueIfManyWait() throws {
        let listeners = (0..<24).map { _ in
            LoopbackListener { request in
                request.contains("\r\n\r\n123")
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok" : nil
            }
        }
        defer { for listener in listeners { listener.close() } }
        let urls = listeners.map(\.url)
        let transport = transport()
        // 200 ms after it has begun to connect, libcurl 7.88 forgets the limits that end within the next millisecond.
        let failures = (0..<5).flatMap { _ in
            Batch.run(on: loop, transport, count: urls.count, concurrency: urls.count) { number in
                var request = try Request(.post, urls[number], body: .text("123"))
                request.transfer = TransferOptions()
                request.transfer?.expectsContinue = .milliseconds(193 + number % 8)
                request.transfer?.idleTimeout = .seconds(5)
                return request
            } check: { _, outcome in
                outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
            }
        }
        if !Quirks.areOff { XCTAssertEqual(failures, []) }
    }

    func testTheRequestIsReportedAsSentAfterItsBody() throws {
        try serve()
        for length in [nil, 300_000] {
            let body = RequestBody.stream(
                .from([[UInt8]](repeating: [UInt8](repeating: 0, count: 100_000), count: 3)), length: length,
                isReplayable: true)
            for limit in [nil, Duration.seconds(20)] {
                let outcome = try outcome(transport(), server.url, method: .post, body: body) {
                    $0.expectsContinue = limit
                }
                let sizes = outcome.phases.compactMap { phase in
                    if case .requestSent(let bytes) = phase { bytes } else { nil }
                }
                XCTAssertEqual(sizes.count, 1)
                XCTAssertTrue((300_100..<301_000).contains(sizes.first ?? 0), "\(sizes)")
            }
        }
    }

    func testAConnectionThatEndsWhenTheServerHasContinuedIsLostInThePhaseSending() throws {
        let listener = LoopbackListener(leaves: true) { request in
            request.contains("\r\n\r\n") ? "HTTP/1.1 100 Continue\r\n\r\n" : nil
        }
        defer { listener.close() }
        let stream = Observable<[UInt8]>.just([1]).concat(Observable.never())
        let outcome = try outcome(transport(), listener.url, method: .put, body: .stream(stream)) {
            $0.expectsContinue = .seconds(20)
        }
        XCTAssertEqual(outcome.error?.code, .connectionLost)
        XCTAssertEqual(outcome.error?.phase, .sending)
        XCTAssertEqual(outcome.error?.isUnsent, false)
        XCTAssertEqual(outcome.phases.last { if case .requestSent = $0 { true } else { false } }, nil)
    }

    func testARefusalInsteadOfContinueIsDeliveredAndNoBodyIsSent() throws {
        try serve(beforeBody: { _ in ScriptedResponse(status: .contentTooLarge, body: "too much") })
        let opened = Locked(false)
        let stream = Observable<[UInt8]>.deferred {
            opened.withLock { $0 = true }
            return .just([1, 2, 3])
        }
        let outcome = try outcome(transport(), server.url, method: .post, body: .stream(stream)) {
            $0.expectsContinue = .seconds(20)
        }
        XCTAssertEqual(outcome.head?.status, .contentTooLarge)
        XCTAssertEqual(outcome.text, "too much")
        XCTAssertTrue(outcome.isCompleted)
        XCTAssertFalse(opened.withLock { $0 })
        XCTAssertEqual(outcome.sent, [])
    }

    func testTheNextRequestIsNotSentInPlaceOfABodyThatWasNotSent() throws {
        for headers in [[:], [.expect: "100-continue"]] as [HTTPFields] {
            for body in [RequestBody.text("123"), .stream(.just([1, 2, 3])), .stream(.just([1, 2, 3]), length: 3)] {
                // It responds once per connection, so that a second request on it gets no response.
                let listener = LoopbackListener { request in
                    request.contains("\r\n\r\n") ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" : nil
                }
                defer { listener.close() }
                let transport = transport()
                let first = try outcome(transport, listener.url, method: .post, headers: headers, body: body) {
                    if headers.isEmpty { $0.expectsContinue = .seconds(20) }
                }
                XCTAssertEqual(first.text, "ok")
                XCTAssertEqual(first.sent, [])
                let second = try outcome(transport, listener.url) { $0.idleTimeout = .seconds(5) }
                XCTAssertEqual(second.text, "ok", "\(second.error.debugDescription)")
                XCTAssertEqual(second.reuses, [false])
            }
        }
    }

    func testTheConnectionIsKeptAfterTheServerHasContinued() throws {
        try serve()
        let transport = transport()
        for number in 0..<2 {
            let outcome = try outcome(transport, server.url, method: .post, body: .text("123")) {
                $0.expectsContinue = .seconds(20)
            }
            XCTAssertEqual(outcome.text, "taken")
            XCTAssertEqual(outcome.reuses, [number > 0])
        }
    }

    func testAServerThatRefusesTheExpectationReceivesTheRequestWithoutIt() throws {
        for isKept in [true, false] {
            try serve(beforeBody: { request in
                guard request.headers[.expect] != nil else { return nil }
                return isKept
                    ? ScriptedResponse(status: .expectationFailed, body: "what?")
                    : .raw(
                        "HTTP/1.1 417 No\r\nContent-Length: 5\r\n\r\nwhat?")
            })
            for headers in [[:], [.expect: "100-continue"]] as [HTTPFields] {
                let outcome = try outcome(
                    transport(), server.url, method: .post, headers: headers, body: .stream(.just([1, 2, 3]))
                ) {
                    if headers.isEmpty { $0.expectsContinue = .seconds(20) }
                }
                XCTAssertEqual(outcome.text, "taken")
                XCTAssertEqual(outcome.head?.status, .ok)
                XCTAssertEqual(server.requests.last?.body, [1, 2, 3])
                XCTAssertNil(server.requests.last?.headers[.expect])
            }
            server.close()
        }
    }

    func testAResponseBeforeTheEndOfTheBodyIsDeliveredAndEndsTheUpload() throws {
        for isKnown in [true, false] {
            try serve(beforeBody: { _ in ScriptedResponse(status: .contentTooLarge, body: "too much") })
            let disposed = DispatchSemaphore(value: 0)
            let outcome = try outcome(
                transport(), server.url, method: .post,
                body: .stream(endless(disposed), length: isKnown ? 60_000_000 : nil))
            XCTAssertEqual(outcome.head?.status, .contentTooLarge)
            XCTAssertEqual(outcome.text, "too much")
            XCTAssertTrue(outcome.isCompleted, "\(outcome.error.map { "\($0)" } ?? "")")
            XCTAssertLessThan(outcome.sent.last?.bytes ?? 0, 60_000_000)
            XCTAssertEqual(disposed.wait(timeout: .now() + 30), .success)
            server.close()
        }
    }

    func testAnEarlyRefusalEndsABodyThatWaitsForItsSource() throws {
        let listener = LoopbackListener { request in
            request.contains("\r\n\r\n") ? "HTTP/1.1 403 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno" : nil
        }
        defer { listener.close() }
        let disposed = DispatchSemaphore(value: 0)
        let stream = Observable<[UInt8]>.just([1]).concat(Observable.never()).do(onDispose: { disposed.signal() })
        for _ in 0..<2 {
            let outcome = try outcome(
                transport(), listener.url, method: .post, body: .stream(stream, isReplayable: true))
            XCTAssertEqual(outcome.text, "no")
            XCTAssertTrue(outcome.isCompleted)
            XCTAssertEqual(disposed.wait(timeout: .now() + 30), .success)
        }
    }

    func testALateRefusalOfTheExpectationIsAnErrorIfTheBodyCanBeReadOnce() throws {
        for length in [nil, 100] {
            let requests = Locked(0)
            let listener = LoopbackListener { request in
                guard request.contains("part") || !request.contains("Expect"), request.contains("\r\n\r\n") else {
                    return nil
                }
                return requests.withLock { count in
                    count += 1
                    return count == 1
                        ? "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nwhat?"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"
                }
            }
            defer { listener.close() }
            let stream = Observable<[UInt8]>.just(Array("part".utf8)).concat(Observable.never())
            let outcome = try outcome(
                transport(), listener.url, method: .post, body: .stream(stream, length: length)
            ) {
                $0.expectsContinue = .milliseconds(30)
                $0.idleTimeout = .seconds(5)
            }
            XCTAssertEqual(outcome.error?.code, .invalidRequest, "\(outcome.error.debugDescription)")
            XCTAssertEqual(outcome.error?.isUnsent, false)
            XCTAssertNil(outcome.head)
            XCTAssertEqual(requests.withLock { $0 }, 1, "libcurl has sent the request again, without its body")
        }
    }

    func testARefusalOfTheExpectationIsDeliveredAfterTheWholeBody() throws {
        for (length, end) in [(nil, "part\r\n0\r\n\r\n"), (4, "part")] {
            let listener = LoopbackListener { request in
                request.hasSuffix(end) ? "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nwhat?" : nil
            }
            defer { listener.close() }
            try assertRefusalIsDelivered(from: listener, to: .stream(.just(Array("part".utf8)), length: length))
        }
    }

    func testARefusalOfTheExpectationThatClosesTheConnectionIsDelivered() throws {
        for field in ["Connection: close", "connection: Close"] {
            let listener = LoopbackListener { request in
                request.contains("part") ? "HTTP/1.1 417 No\r\n\(field)\r\nContent-Length: 5\r\n\r\nwhat?" : nil
            }
            defer { listener.close() }
            let stream = Observable<[UInt8]>.just(Array("part".utf8)).concat(Observable.never())
            try assertRefusalIsDelivered(from: listener, to: .stream(stream))
        }
    }

    private func assertRefusalIsDelivered(from listener: LoopbackListener, to body: RequestBody) throws {
        let outcome = try outcome(transport(), listener.url, method: .post, body: body) {
            $0.expectsContinue = .milliseconds(30)
            $0.idleTimeout = .seconds(5)
        }
        XCTAssertEqual(outcome.head?.status, .expectationFailed, "\(outcome.error.debugDescription)")
        XCTAssertEqual(outcome.text, "what?")
        XCTAssertTrue(outcome.isCompleted, "\(outcome.error.debugDescription)")
    }
}
