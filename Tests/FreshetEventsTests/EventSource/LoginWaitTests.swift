import FreshetAuth
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests streams whose requests wait for a login.
final class LoginWaitTests: EventSourceTestCase {
    private func authentication(_ first: Credential?) throws -> AuthenticationInterceptor {
        var settings = RefreshGate.Settings()
        settings.whenLoginIsRequired = .wait
        return AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { _ in .error(RefreshRefusal("no")) }, store: MemoryStore(first),
            origins: [try Origin("https://a")], scheduler: bench.scheduler, secondsSince1970: { 0 },
            settings: settings)
    }

    /// The error of a request, or of a stream, that takes longer than two seconds.
    private func timeout(ofStream isStream: Bool) throws -> HTTPClientError {
        var request = try Request(.get, "https://a/events")
        request.timeout = .seconds(2)
        let failure = Locked<HTTPClientError?>(nil)
        let record: @Sendable (any Error) -> Void = { error in failure.withLock { $0 = error as? HTTPClientError } }
        let subscription =
            if isStream {
                EventSource(request, by: bench.client, settings: bench.settings).signals.subscribe(
                    onNext: { signal in
                        if case .reconnecting(_, .failed(let error)) = signal { record(error) }
                    })
            } else {
                bench.client.send(request).subscribe(onFailure: record)
            }
        bench.scheduler.advanceBy(2500)
        subscription.dispose()
        bench.scheduler.start()
        return try XCTUnwrap(failure.withLock { $0 })
    }

    func testAStreamThatWaitsForALoginFailsAsARequestThatWaits() throws {
        let errors = try [false, true].map { isStream in
            bench = EventSourceBench()
            bench.interceptors = [try authentication(nil)]
            return try timeout(ofStream: isStream)
        }
        XCTAssertEqual(errors.map(\.code), [.timeout, .timeout])
        XCTAssertEqual(errors.map(\.phase), [.refreshing, .refreshing])
        XCTAssertEqual(errors.map(\.isUnsent), [true, true])
        XCTAssertEqual("\(errors[0])", "\(errors[1])")
    }

    func testAStreamWhoseServerDoesNotRespondToItsCredentialSaysSo() throws {
        bench.interceptors = [try authentication(Credential(accessToken: "a", refreshToken: "r"))]
        bench.transport.route { _ in .silence }
        let error = try timeout(ofStream: true)
        XCTAssertEqual(error.phase, .waiting)
        XCTAssertTrue("\(error)".contains("no response began"), "\(error)")
        XCTAssertFalse(error.isUnsent)
    }

    func testAOneShotRequestThatTimedOutInAnInterceptorIsSentAfterAll() throws {
        bench.interceptors = [SlowOnce(scheduler: bench.scheduler)]
        bench.transport.route { _ in .events("data: a\n\n") }
        var request = try Request(.post, "https://a/events", body: .text("q"))
        request.isOneShot = true
        request.timeout = .seconds(2)
        XCTAssertEqual(
            try bench.run(request).filter { !$0.contains("open") },
            [
                "0 connecting", "2000 reconnecting in 3000: timeout", "5000 connecting", "5000 a", "5000 closed",
                "5000 completed",
            ])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }
}

/// Takes four seconds for the first request, and no time for the others.
private struct SlowOnce: RequestInterceptor {
    let scheduler: any SchedulerType
    private let isFirst = Locked(true)

    init(scheduler: any SchedulerType) { self.scheduler = scheduler }

    func adapt(_ request: inout Request) -> Adaptation {
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        return isFirst ? .waiting(.just(request).delay(.seconds(4), scheduler: scheduler)) : .ready
    }
}
