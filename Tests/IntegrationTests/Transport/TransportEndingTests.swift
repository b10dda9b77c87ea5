import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests transfers that are disposed of, paused, or ended by a shutdown.
final class TransportEndingTests: TransportOnScriptedServerTestCase {
    func testDisposingEndsAWaitingTransfer() throws {
        let transport = transport()
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let left = expectation(description: "left")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let departures = server.script.abandonments.subscribe(onNext: { _ in left.fulfill() })
        let request = try Request(.get, server.url)
        let subscription = transport.parts(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        subscription.dispose()
        wait(for: [left], timeout: 20)
        arrivals.dispose()
        departures.dispose()
        // The test disposes at once, from the loop and from its own thread.
        transport.parts(request).subscribe { _ in }.dispose()
        loop.execute { transport.parts(request).subscribe { _ in }.dispose() }
    }

    func testATransferCanBeDisposedInsideAnElement() throws {
        let transport = transport()
        server.route { _ in .repeating([UInt8](repeating: 1, count: 10_000), times: 1000) }
        let left = expectation(description: "left")
        let departures = server.script.abandonments.subscribe(onNext: { _ in left.fulfill() })
        let subscription = SerialDisposable()
        let request = try Request(.get, server.url)
        loop.execute {
            subscription.disposable = transport.parts(request).subscribe { event in
                if case .next(.body) = event { subscription.dispose() }
            }
        }
        wait(for: [left], timeout: 20)
        departures.dispose()
    }

    func testAPausedTransferIsNotIdleAndContinuesWhenResumed() throws {
        let transport = transport()
        server.enqueue(.repeating([UInt8](repeating: 1, count: 65_536), times: 64))
        let scheduler = LoopScheduler(loop)
        var request = try Request(.get, server.url)
        var options = TransferOptions()
        options.idleTimeout = .milliseconds(300)
        request.transfer = options
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = SerialDisposable()
        let final = request
        loop.execute {
            subscription.disposable = transport.parts(final).subscribe { event in
                let isFirst = outcome.withLock { outcome in
                    defer { outcome.record(event) }
                    return outcome.body.isEmpty
                }
                if event.isStopEvent { done.signal() }
                guard isFirst, case .next(.body) = event else { return }
                subscription.pause()
                _ = scheduler.scheduleRelative((), dueTime: .milliseconds(700)) { _ in
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

    func testShutdownCancelsRunningAndWaitingRequestsOnce() throws {
        let transport = transport { $0.pool.maximumConnectionsPerOrigin = 5 }
        server.route { _ in .silence }
        let arrived = expectation(description: "arrived")
        arrived.expectedFulfillmentCount = 5
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let errors = Locked<[HTTPClientError.Code?]>([])
        let request = try Request(.get, server.url)
        for _ in 0..<20 {
            _ = transport.parts(request).subscribe(onError: { error in
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
        _ = transport.parts(request).subscribe(onError: { failure in error.withLock { $0 = failure as? HTTPClientError }
        })
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        other.shutdown()
        XCTAssertEqual(error.withLock { $0?.code }, .cancelled)
        XCTAssertEqual(outcome(transport, request).error?.code, .cancelled)
    }
}
