import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

final class TransportOnScriptedServerTests: TransportTestCase {
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server.close()
        server = nil
        super.tearDown()
    }

    private func get(
        _ answers: ScriptedAnswer..., method: HTTPRequest.Method = .get,
        options: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Outcome {
        for answer in answers { server.enqueue(answer) }
        return try outcome(transport(), server.url + "/", method: method, options: options)
    }

    // MARK: Answers

    func testRepeatedHeadersInterimAnswersAndTrailersAreKeptApart() throws {
        let link = HTTPField.Name("Link")!
        let check = HTTPField.Name("X-Check")!
        var answer = ScriptedAnswer(body: "hello").preceded(by: .init(code: 103), headers: [link: "</a>"])
        answer.headers.append(HTTPField(name: .setCookie, value: "a=1"))
        answer.headers.append(HTTPField(name: .setCookie, value: "b=2"))
        let outcome = try get(answer.chunked().trailed(by: [check: "ok"]))
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.informational.map(\.status.code), [103])
        XCTAssertEqual(outcome.informational.first?.headerFields[link], "</a>")
        XCTAssertEqual(outcome.head?.headerFields[values: .setCookie], ["a=1", "b=2"])
        XCTAssertNil(outcome.head?.headerFields[check])
        XCTAssertEqual(outcome.trailers?[check], "ok")
        XCTAssertEqual(outcome.text, "hello")
    }

    func testHeadHasNoBodyAndOwnMethodsArePassedOn() throws {
        let head = try get(ScriptedAnswer(body: "hello"), method: .head)
        XCTAssertTrue(head.isCompleted)
        XCTAssertEqual(head.head?.headerFields[.contentLength], "5")
        XCTAssertEqual(head.body, [])
        _ = try get(ScriptedAnswer(body: "x"), method: HTTPRequest.Method("PURGE")!)
        XCTAssertEqual(server.requests.map(\.method.rawValue), ["HEAD", "PURGE"])
    }

    func testAnswersThatAreCutOrResetAreLost() throws {
        let body = ScriptedAnswer(body: "0123456789")
        XCTAssertEqual(try get(body.cut(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(body.reset(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(body.chunked().cut(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(.close).error?.code, .connectionLost)
        XCTAssertEqual(try get(.reset).error?.code, .connectionLost)
    }

    func testWhatIsNoHTTPIsAProtocolError() throws {
        XCTAssertEqual(try get(.raw("hello there\r\n\r\n")).error?.code, .protocol)
        XCTAssertEqual(try get(.raw("HTTP/1.1 twohundred OK\r\n\r\n")).error?.code, .protocol)
        let lengths = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"
        XCTAssertEqual(try get(.raw(lengths)).error?.code, .protocol)
    }

    func testAHeadThatIsTooLargeIsRefused() throws {
        let lines = (0..<40).map { "X-\($0): \(String(repeating: "v", count: 8000))\r\n" }.joined()
        XCTAssertEqual(try get(.raw("HTTP/1.1 200 OK\r\n\(lines)\r\n")).error?.code, .tooLarge)
        let line = "X: \(String(repeating: "v", count: 300_000))\r\n"
        XCTAssertEqual(try get(.raw("HTTP/1.1 200 OK\r\n\(line)\r\n")).error?.code, .tooLarge)
    }

    func testABrokenContentCodingIsADecodingError() throws {
        var broken = ScriptedAnswer(body: "this is no gzip")
        broken.headers[.contentEncoding] = "gzip"
        XCTAssertEqual(try get(broken).error?.code, .decoding)
        broken.headers[.contentEncoding] = "rot13"
        XCTAssertEqual(try get(broken).error?.code, .decoding)
    }

    func testChunksCountAndNotALengthThatComesWithThem() throws {
        let both = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        let outcome = try get(.raw(both))
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "ok")
    }

    // MARK: Requests

    func testWhatCanNotBeSaidInARequestIsRefused() throws {
        let transport = transport()
        func code(
            _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: RequestBody = .empty
        ) throws -> HTTPClientError.Code? {
            try outcome(transport, server.url, method: method, headers: headers, body: body).error?.code
        }
        XCTAssertEqual(try code(.get, [.contentLength: "3"], .text("four")), .invalidRequest)
        XCTAssertEqual(try code(.get, [.transferEncoding: "chunked"]), .invalidRequest)
        XCTAssertEqual(try code(.head, [:], .text("x")), .invalidRequest)
        XCTAssertEqual(server.requestCount, 0)
        server.enqueue(ScriptedAnswer(body: "ok"))
        XCTAssertNil(try code(.post, [.contentLength: "4"], .text("four")))
        XCTAssertEqual(server.requests.first?.body, Array("four".utf8))
    }

    func testAHandleIsCleanForTheNextRequest() throws {
        let transport = transport()
        for _ in 0..<5 { server.enqueue(ScriptedAnswer(body: "ok")) }
        _ = try outcome(
            transport, server.url, method: .post, headers: [HTTPField.Name("X-Once")!: "1"], body: .text("abc"))
        _ = try outcome(transport, server.url)
        _ = try outcome(transport, server.url, method: .head)
        _ = try outcome(transport, server.url, method: .delete)
        let last = try outcome(transport, server.url)
        XCTAssertEqual(last.text, "ok")
        XCTAssertEqual(server.requests.map(\.method.rawValue), ["POST", "GET", "HEAD", "DELETE", "GET"])
        XCTAssertEqual(server.requests.map(\.body.count), [3, 0, 0, 0, 0])
        XCTAssertNil(server.requests[1].headers[HTTPField.Name("X-Once")!])
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testAKeptConnectionThatDiedIsReplacedForGetAndNotForPost() throws {
        let transport = transport()
        for method in [HTTPRequest.Method.get, .post] {
            server.enqueue(ScriptedAnswer(body: "one"))
            XCTAssertEqual(try outcome(transport, server.url).text, "one")
            let asked = server.requestCount
            server.enqueue(.close, ScriptedAnswer(body: "two"))
            let outcome = try outcome(transport, server.url, method: method)
            if method == .get {
                XCTAssertEqual(outcome.text, "two")
                XCTAssertEqual(server.requestCount, asked + 2)
            } else {
                XCTAssertEqual(outcome.error?.code, .connectionLost)
                XCTAssertEqual(outcome.error?.isUnsent, false)
                XCTAssertEqual(server.requestCount, asked + 1)
            }
        }
    }

    // MARK: Failures on the way

    func testARefusedConnectionAndAnUnknownHost() throws {
        let refused = try outcome(transport(), "http://127.0.0.1:\(freePort())/")
        XCTAssertEqual(refused.error?.code, .connect)
        XCTAssertEqual(refused.error?.isUnsent, true)
        let unknown = try outcome(transport(), "http://nowhere.invalid/")
        XCTAssertEqual(unknown.error?.code, .resolve)
        XCTAssertEqual(unknown.error?.isUnsent, true)
    }

    func testEachTimeoutNamesItsPhaseAndIsOnTime() throws {
        let start = loop.now
        let idle = try get(.silence) { $0.idleTimeout = .milliseconds(50) }
        XCTAssertEqual(idle.error?.code, .timeout)
        XCTAssertEqual(idle.error?.phase, .waiting)
        let slow = try get(ScriptedAnswer(body: "0123456789").holding(after: 2, by: Hold())) {
            $0.idleTimeout = .milliseconds(50)
        }
        XCTAssertEqual(slow.error?.code, .timeout)
        XCTAssertEqual(slow.error?.phase, .receiving)
        let total = try get(.silence) { $0.totalTimeout = .milliseconds(50) }
        XCTAssertEqual(total.error?.code, .timeout)
        let unconnected = try get(.silence) {
            $0.connectTimeout = nil
            $0.idleTimeout = .milliseconds(50)
        }
        XCTAssertEqual(unconnected.error?.phase, .waiting)
        XCTAssertLessThan(start.duration(to: loop.now), .seconds(5))
    }

    func testAConnectionThatIsNotMadeTimesOut() throws {
        // A listener whose queue is full takes no connection; a TLS server that says nothing makes none either.
        server.enqueue(.silence)
        let outcome = try outcome(transport(), server.url.replacingOccurrences(of: "http:", with: "https:")) {
            $0.connectTimeout = .milliseconds(50)
        }
        XCTAssertNotNil(outcome.error)
        XCTAssertTrue(outcome.error?.code == .timeout || outcome.error?.code == .tls)
        XCTAssertEqual(outcome.error?.phase, .securing)
    }

    // MARK: Cancelling, pausing, limits

    func testDisposingEndsTheTransferInAnyPhase() throws {
        let transport = transport()
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let left = expectation(description: "left")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let departures = server.script.abandonments.subscribe(onNext: { _ in left.fulfill() })
        let request = try Request(.get, server.url)
        let subscription = transport.send(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        subscription.dispose()
        wait(for: [left], timeout: 20)
        arrivals.dispose()
        departures.dispose()
        // At once, from the loop and from here.
        transport.send(request).subscribe { _ in }.dispose()
        loop.execute { transport.send(request).subscribe { _ in }.dispose() }
    }

    func testDisposingFromInsideAnElement() throws {
        let transport = transport()
        server.route { _ in .repeating([UInt8](repeating: 1, count: 10_000), times: 1000) }
        let left = expectation(description: "left")
        let departures = server.script.abandonments.subscribe(onNext: { _ in left.fulfill() })
        let subscription = SerialDisposable()
        let request = try Request(.get, server.url)
        loop.execute {
            subscription.disposable = transport.send(request).subscribe { event in
                if case .next(.body) = event { subscription.dispose() }
            }
        }
        wait(for: [left], timeout: 20)
        departures.dispose()
    }

    func testAPausedTransferIsNotIdleAndGoesOnWhenResumed() throws {
        let transport = transport()
        server.enqueue(.repeating([UInt8](repeating: 1, count: 65_536), times: 64))
        let scheduler = LoopScheduler(loop)
        var request = try Request(.get, server.url)
        var options = TransferOptions()
        options.idleTimeout = .milliseconds(40)
        request.transfer = options
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = SerialDisposable()
        let final = request
        loop.execute {
            subscription.disposable = transport.send(final).subscribe { event in
                let isFirst = outcome.withLock { outcome in
                    defer { outcome.note(event) }
                    return outcome.body.isEmpty
                }
                if event.isStopEvent { done.signal() }
                guard isFirst, case .next(.body) = event else { return }
                subscription.pause()
                _ = scheduler.scheduleRelative((), dueTime: .milliseconds(150)) { _ in
                    subscription.resume()
                    return Disposables.create()
                }
            }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 20), .success)
        subscription.dispose()
        XCTAssertNil(outcome.withLock { $0.error })
        XCTAssertEqual(outcome.withLock { $0.body.count }, 64 * 65_536)
    }

    func testTheLimitOfAnOriginHoldsAndTheQueueIsFirstComeFirstServed() throws {
        let transport = transport { $0.maximumConnectionsPerOrigin = 2 }
        server.route { _ in ScriptedAnswer(body: "ok").after(.milliseconds(1)) }
        let url = server.url
        let complaints = Batch.run(on: loop, transport, count: 40, concurrency: 40) { number in
            try Request(.get, "\(url)/\(number)")
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
        }
        XCTAssertEqual(complaints, [])
        XCTAssertEqual(server.acceptedConnections, 2)
        let order = server.requests.compactMap { Int($0.path.dropFirst()) }
        // Two at once: neighbours may change places.
        for (position, number) in order.enumerated() { XCTAssertLessThanOrEqual(abs(position - number), 2) }
    }

    func testAFullQueueIsOverloadedAndAWaitThatIsTooLongTimesOut() throws {
        let transport = transport {
            $0.maximumConnections = 1
            $0.queueLimit = 1
            $0.acquireTimeout = .milliseconds(50)
        }
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let request = try Request(.get, server.url)
        let first = transport.send(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        let second = Locked(Outcome())
        let ended = expectation(description: "ended")
        _ = transport.send(request).subscribe { event in
            second.withLock { $0.note(event) }
            if event.isStopEvent { ended.fulfill() }
        }
        let third = outcome(transport, request)
        XCTAssertEqual(third.error?.code, .overloaded)
        wait(for: [ended], timeout: 20)
        XCTAssertEqual(second.withLock { $0.error?.code }, .timeout)
        XCTAssertEqual(second.withLock { $0.error?.phase }, .queued)
        first.dispose()
    }

    func testALongLivedTransferTakesNoPlaceOfOthers() throws {
        let transport = transport { $0.maximumConnections = 1 }
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.take(1).subscribe(onNext: { _ in arrived.fulfill() })
        var request = try Request(.get, server.url)
        var options = TransferOptions()
        options.isLongLived = true
        request.transfer = options
        let stream = transport.send(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        server.enqueue(ScriptedAnswer(body: "ok"))
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        stream.dispose()
    }

    func testShutdownCancelsWhatRunsAndWhatWaitsOnce() throws {
        let transport = transport { $0.maximumConnectionsPerOrigin = 5 }
        server.route { _ in .silence }
        let arrived = expectation(description: "arrived")
        arrived.expectedFulfillmentCount = 5
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let errors = Locked<[HTTPClientError.Code?]>([])
        let request = try Request(.get, server.url)
        for _ in 0..<20 {
            _ = transport.send(request).subscribe(onError: { error in
                errors.withLock { $0.append((error as? HTTPClientError)?.code) }
            })
        }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        transport.shutdown()
        transport.shutdown()
        XCTAssertEqual(errors.withLock { $0 }, Array(repeating: .cancelled, count: 20))
        XCTAssertEqual(outcome(transport, request).error?.code, .cancelled)
    }

    func testTheEndOfTheLoopEndsTransfers() throws {
        let other = try Loop(name: "other")
        let transport = CurlTransport(loop: other)
        server.route { _ in .silence }
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let error = Locked<HTTPClientError?>(nil)
        let request = try Request(.get, server.url)
        _ = transport.send(request).subscribe(onError: { failure in error.withLock { $0 = failure as? HTTPClientError }
        })
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        other.shutdown()
        XCTAssertEqual(error.withLock { $0?.code }, .cancelled)
        XCTAssertEqual(outcome(transport, request).error?.code, .cancelled)
    }
}
