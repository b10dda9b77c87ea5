import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests requests whose adapters run when their turn has come.
final class PreparationTests: TransportTestCase {
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try ScriptedServer(on: loop)
        server.route { _ in ScriptedResponse() }
    }

    override func tearDown() {
        server.close()
        server = nil
        super.tearDown()
    }

    /// Sends requests to `/0`, `/1`… whose adapters wait for `gate`. It opens the gate when all of them wait, and waits for
    /// their ends.
    ///
    /// - Returns: the error codes, and the number of calls of an adapter.
    private func send(_ count: Int, over transport: CurlTransport) throws -> ([HTTPClientError.Code?], Int) {
        let gate = ReplaySubject<Void>.create(bufferSize: 1)
        let adaptationCount = Locked(0)
        let codes = Locked<[HTTPClientError.Code?]>([])
        let allAdapted = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let requests = try (0..<count).map { try Request(.get, "\(server.url)/\($0)") }
        let subscriptions = requests.map { request in
            transport.parts(request) { request in
                let number = adaptationCount.withLock { adaptationCount in
                    adaptationCount += 1
                    return adaptationCount
                }
                if number == count { allAdapted.signal() }
                let final = request
                return .waiting(gate.take(1).map { final }.asSingle())
            }.subscribe { event in
                guard event.isStopEvent else { return }
                codes.withLock { $0.append((event.error as? HTTPClientError)?.code) }
                done.signal()
            }
        }
        XCTAssertEqual(allAdapted.wait(timeout: .now() + 30), .success)
        // The call of the last adapter has returned by then as well.
        loop.execute { allAdapted.signal() }
        XCTAssertEqual(allAdapted.wait(timeout: .now() + 30), .success)
        gate.onNext(())
        for _ in 0..<count { XCTAssertEqual(done.wait(timeout: .now() + 30), .success) }
        subscriptions.forEach { $0.dispose() }
        return (codes.withLock { $0 }, adaptationCount.withLock { $0 })
    }

    func testWaitingRequestsAreSentInTheirOrder() throws {
        let (codes, _) = try send(10, over: transport { $0.pool.maximumConnectionsPerOrigin = 1 })
        XCTAssertEqual(codes, Array(repeating: nil, count: 10))
        XCTAssertEqual(server.requests.map(\.target), (0..<10).map { "/\($0)" })
    }

    func testAnAdapterRunsOnceIfNothingDelaysTheRequest() throws {
        XCTAssertEqual(try send(3, over: transport()).1, 3)
    }

    func testARequestThatAnAdapterRedirectsIsSentToTheOtherServer() throws {
        let other = try ScriptedServer(on: loop)
        defer { other.close() }
        other.route { _ in ScriptedResponse(body: "other") }
        let transport = transport { $0.pool.maximumConnectionsPerOrigin = 1 }
        let later = BlockingScheduler(on: loop!)
        let elsewhere = try RequestURL(other.url + "/there?a=b")
        for isLate in [false, true] {
            for _ in 0..<2 {
                let done = DispatchSemaphore(value: 0)
                let body = Locked<[UInt8]>([])
                let subscriptions = try (0..<8).map { _ in
                    transport.parts(try Request(.get, server.url + "/here")) { request in
                        request.url = elsewhere
                        return isLate ? .waiting(Single.just(request).observe(on: later)) : .ready
                    }.subscribe { event in
                        if case .next(.body(let bytes)) = event { body.withLock { $0 += bytes } }
                        if event.isStopEvent { done.signal() }
                    }
                }
                for _ in 0..<8 { XCTAssertEqual(done.wait(timeout: .now() + 30), .success) }
                XCTAssertEqual(String(decoding: body.withLock { $0 }, as: UTF8.self).count, 8 * 5)
                subscriptions.forEach { $0.dispose() }
            }
        }
        XCTAssertEqual(server.requestCount, 0)
        XCTAssertEqual(other.requests.map(\.target), Array(repeating: "/there?a=b", count: 32))
        XCTAssertEqual(other.acceptedConnections, 1)
        transport.shutdown()
    }

    func testTheAcquireTimeoutAppliesAfterSlowAdaptersToo() throws {
        let transport = transport {
            $0.pool.maximumConnectionsPerOrigin = 1
            $0.pool.acquireTimeout = .milliseconds(50)
        }
        server.enqueue(.silence)
        let first = Locked<(any Disposable)?>(nil)
        let gate = ReplaySubject<Void>.create(bufferSize: 1)
        let timedOut = DispatchSemaphore(value: 0)
        let waiting = DispatchSemaphore(value: 0)
        let second = transport.parts(try Request(.get, server.url + "/second")) { request in
            waiting.signal()
            let final = request
            return .waiting(gate.take(1).map { final }.asSingle())
        }.subscribe { event in
            if (event.error as? HTTPClientError)?.code == .timeout { timedOut.signal() }
        }
        XCTAssertEqual(waiting.wait(timeout: .now() + 30), .success)
        // The third request takes the only slot while the adapters of the second one wait.
        first.withLock { $0 = try? transport.parts(Request(.get, server.url + "/third")).subscribe() }
        let arrived = DispatchSemaphore(value: 0)
        let watching = server.received.subscribe(onNext: { if $0.target == "/third" { arrived.signal() } })
        XCTAssertEqual(arrived.wait(timeout: .now() + 30), .success)
        gate.onNext(())
        XCTAssertEqual(timedOut.wait(timeout: .now() + 30), .success)
        [first.withLock { $0 }, second, watching].forEach { $0?.dispose() }
    }
}
