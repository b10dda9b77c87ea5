import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests whether the error of a request says that nothing of it was sent. A program may then send a POST again.
final class UnsentTests: StubbedTestCase {
    private let dead = ScriptedResponse.failure(.connect, in: .connecting, isUnsent: true)

    private var retries: RetryPolicy {
        var policy = RetryPolicy(limit: 2, random: { 0.5 })
        policy.includesAllMethods = true
        return policy
    }

    private func failure(
        layers: [any TransportLayer] = [], through interceptors: [any RequestInterceptor] = [],
        url: String = "http://a/x", then next: (HTTPClient) -> Void = { _ in }
    ) throws -> HTTPClientError {
        let client = HTTPClient(
            transport: transport, scheduler: scheduler, layers: layers, interceptors: interceptors)
        let request = try Request(.post, url, body: .text("transfer 100"))
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = client.send(request).subscribe { result in
            if case .failure(let error as HTTPClientError) = result { failure.withLock { $0 = error } }
        }
        next(client)
        scheduler.start()
        subscription.dispose()
        return try XCTUnwrap(failure.withLock { $0 })
    }

    func testARequestThatWasRedirectedToADeadAddressWasSent() throws {
        for status in [302, 303, 307] {
            transport.enqueue(
                ScriptedResponse(status: .init(code: status), headers: [.location: "http://b/"]), dead)
            let error = try failure()
            XCTAssertEqual(error.code, .connect)
            XCTAssertEqual(error.origin, "http://b")
            XCTAssertFalse(error.isUnsent, "\(status)")
        }
    }

    func testARequestWhoseFirstAttemptWasLostWasSentWhateverBecomesOfItsRetries() throws {
        transport.enqueue(.reset, dead, dead)
        let error = try failure(through: [retries])
        XCTAssertEqual(error.code, .connect)
        XCTAssertEqual(error.attempt, 3)
        XCTAssertFalse(error.isUnsent)
    }

    func testARequestThatWasAnsweredWasSentIfALayerRefusesItsRetry() throws {
        for first in [ScriptedResponse.reset, ScriptedResponse(status: .internalServerError)] {
            transport.enqueue(first)
            let error = try failure(layers: [RefusingLayer(after: 1)], through: [retries])
            XCTAssertEqual(error.code, .overloaded)
            XCTAssertEqual(error.attempt, 2)
            XCTAssertFalse(error.isUnsent)
        }
    }

    func testARequestThatALayerRefusesFromTheFirstWasNotSent() throws {
        XCTAssertTrue(try failure(layers: [RefusingLayer(after: 0)], through: [retries]).isUnsent)
        transport.enqueue(dead)
        XCTAssertTrue(try failure(layers: [RefusingLayer(after: 1)], through: [retries]).isUnsent)
    }

    func testARequestOfWhichNoAttemptWasSentWasNotSent() throws {
        transport.enqueue(dead, dead, dead)
        let error = try failure(through: [retries])
        XCTAssertEqual(error.attempt, 3)
        XCTAssertTrue(error.isUnsent)
    }

    func testARequestThatEndsWithItsClientBeforeARetryWasSentIfAnAttemptWas() throws {
        for (first, isUnsent) in [(ScriptedResponse.reset, false), (dead, true)] {
            transport.enqueue(first)
            let error = try failure(through: [LongWait()]) { $0.endWaiting() }
            XCTAssertEqual(error.code, .cancelled)
            XCTAssertEqual(error.phase, .retrying)
            XCTAssertEqual(error.isUnsent, isUnsent)
        }
    }

    func testARetrierSeesWhetherItsAttemptWasSent() throws {
        transport.enqueue(.reset, dead, dead)
        let log = OutcomeLog()
        _ = try failure(through: [log, retries])
        XCTAssertEqual(log.unsent.withLock { $0 }, [false, true, true])
    }

    func testAnInterceptorThatEndsTheRequestAfterAResponseCannotMakeItUnsent() throws {
        transport.enqueue(ScriptedResponse(status: .unauthorized))
        let error = try failure(through: [EndingInterceptor()])
        XCTAssertEqual(error.code, .loginRequired)
        XCTAssertFalse(error.isUnsent)
    }

    /// The error is that of another request, such as the one for a credential, and names it.
    func testAnAdapterThatFailsTellsOnlyForTheFirstAttemptThatNothingWasSent() throws {
        for sendsFirst in [true, false] {
            if sendsFirst { transport.enqueue(ScriptedResponse(status: .internalServerError)) }
            let error = try failure(through: [FailingAdapter(from: sendsFirst ? 2 : 1), retries])
            XCTAssertEqual(error.path, "/token")
            XCTAssertEqual(error.isUnsent, !sendsFirst)
        }
    }

    func testARequestWithoutTimeIsNotSent() throws {
        for timeout in [Duration.zero, .seconds(-5)] {
            let client = HTTPClient(transport: transport, scheduler: scheduler)
            var request = try Request(.post, "http://a/x", body: .text("transfer 100"))
            request.timeout = timeout
            let failure = Locked<HTTPClientError?>(nil)
            _ = client.send(request).subscribe(onFailure: { error in failure.withLock { $0 = error as? HTTPClientError }
            })
            let error = try XCTUnwrap(failure.withLock { $0 })
            XCTAssertEqual(error.code, .timeout)
            XCTAssertTrue(error.isUnsent)
            XCTAssertTrue(transport.requests.isEmpty)
        }
    }

    func testARequestWhoseTimeEndsBeforeItsConnectionIsMadeWasNotSent() throws {
        let steps: [TransferPhase] = [
            .admitted, .resolved(host: "a", addresses: []), .connected(address: "192.0.2.1:443", reused: false),
            .secured(protocol: "http/1.1"),
        ]
        let phases: [HTTPClientError.Phase] = [.resolving, .connecting, .securing, .waiting]
        for (index, phase) in phases.enumerated() {
            let error = try failure(
                layers: [SilentAfter(steps.prefix(index + 1).map { .phase($0) })], url: "https://a/x")
            XCTAssertEqual(error.code, .timeout)
            XCTAssertEqual(error.phase, phase)
            XCTAssertEqual(error.isUnsent, phase != .waiting, "\(phase)")
        }
        // A request that goes to another connection has been sent on the first.
        let again = try failure(layers: [SilentAfter((steps + [.admitted]).map { .phase($0) })], url: "https://a/x")
        XCTAssertEqual(again.phase, .resolving)
        XCTAssertFalse(again.isUnsent)
    }

    func testARequestThatALayerSendsTwiceMayHaveBeenSent() throws {
        let error = try failure(layers: [SentTwice()])
        XCTAssertEqual(error.phase, .resolving)
        XCTAssertFalse(error.isUnsent)
    }

    func testARequestThatFollowsAStoredRedirectWasSentIfTheHopWas() throws {
        for (hop, isUnsent) in [(ScriptedResponse.reset, false), (dead, true)] {
            transport.enqueue(hop)
            XCTAssertEqual(try failure(layers: [StoredRedirect()]).isUnsent, isUnsent)
        }
    }
}

/// Refuses the requests after the first ones, as a full queue does.
private struct RefusingLayer: TransportLayer {
    let count: Int

    init(after count: Int) { self.count = count }

    func wrapping(_ transport: any Transport) -> any Transport {
        let passed = Locked(0)
        return ObservableTransport(unprepared: { request, receiver in
            let number = passed.withLock { passed in
                passed += 1
                return passed
            }
            if number <= count { return transport.parts(request, for: receiver) }
            return .error(HTTPClientError(.overloaded, phase: .queued, message: "full", isUnsent: true))
        })
    }
}

/// Delivers parts, and then nothing more.
private struct SilentAfter: TransportLayer {
    let parts: [ResponsePart]

    init(_ parts: [ResponsePart]) { self.parts = parts }

    func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { [parts] _, _ in Observable.from(parts).concat(Observable.never()) })
    }
}

/// Begins a second attempt while the first one still connects, and reports no phase after that, as hedging does.
private struct SentTwice: TransportLayer {
    func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { request, receiver in
            .create { observer in
                receiver.willSend(request)
                observer.onNext(.phase(.admitted))
                receiver.willSend(request)
                return Disposables.create()
            }
        })
    }
}

/// Has a permanent redirect of `http://a`.
private struct StoredRedirect: TransportLayer {
    func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { request, receiver in
            if request.url.host != "a" { return transport.parts(request, for: receiver) }
            return .of(
                .phase(.cache(.hit(age: 1))),
                .head(HTTPResponse(status: .permanentRedirect, headerFields: [.location: "http://b/"])))
        })
    }
}

private struct LongWait: RequestInterceptor {
    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        .just(.retryWithDelay(.seconds(4)))
    }
}

private struct OutcomeLog: RequestInterceptor {
    let unsent = Locked<[Bool]>([])

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        if case .failure(let error as HTTPClientError) = attempt.outcome {
            unsent.withLock { $0.append(error.isUnsent) }
        }
        return .just(.doNotRetry)
    }
}

private struct EndingInterceptor: RequestInterceptor {
    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        .just(
            .doNotRetryWithError(
                HTTPClientError(.loginRequired, phase: .refreshing, message: "log in", isUnsent: true)))
    }
}

private struct FailingAdapter: RequestInterceptor {
    let attempt: Int
    private let count = Locked(0)

    init(from attempt: Int) { self.attempt = attempt }

    func adapt(_ request: inout Request) -> Adaptation {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number < attempt { return .ready }
        let token = Request(method: .post, url: try! RequestURL("http://id/token"))
        return .failed(
            HTTPClientError(.connect, phase: .connecting, message: "no server", isUnsent: sendsNothing).naming(token))
    }

    private var sendsNothing: Bool { attempt > 1 }
}
