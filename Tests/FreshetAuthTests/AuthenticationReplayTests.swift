import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class AuthenticationReplayTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    // In other clients a replay kept the old header, or ran one adapter only, so that the signature of the request was stale.
    func testAReplayRunsThroughAllAdaptersAgain() throws {
        let count = Locked(0)
        let bench = try ClientBench(others: [Signing(count: count)])
        bench.revoke()
        let request = bench.client.send(.delete, "https://api.example/x", headers: [.accept: "text/plain"])
        XCTAssertEqual(try bench.result(request)?.get().text, "hello")
        XCTAssertEqual(bench.api.requests.map { $0.headers[values: .authorization] }, [["Bearer a1"], ["Bearer a2"]])
        XCTAssertEqual(
            bench.api.requests.map { $0.headers[.init("X-Signature")!] }, ["1 of Bearer a1", "2 of Bearer a2"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.accept] }, ["text/plain", "text/plain"])
        XCTAssertEqual(
            bench.api.requests.map(\.method), [.delete, .delete], "every method: it was refused unprocessed")
    }

    // In other clients an authenticator that never recognises its credential causes unlimited replays without a refresh.
    func testAnAuthenticatorThatDoesNotRecogniseItsRequestsCausesNoLoop() throws {
        let bench = try ClientBench(authenticator: { _ in Forgetful() })
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        bench.revoke()
        XCTAssertEqual(try bench.result(bench.get())?.get().status, .unauthorized)
        XCTAssertEqual(bench.api.requestCount, 2)
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    // Other clients counted the timeout twice: once for the refresh and once for the request.
    func testOneDeadlineCoversWaitRefreshAndReplay() throws {
        let bench = try ClientBench()
        bench.revoke()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized).after(.seconds(4)))
        var request = try Request(.get, "https://api.example/x")
        request.timeout = .seconds(10)
        bench.identity.enqueue(
            .json(#"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#).after(.seconds(7)))
        let error = bench.failure(bench.client.send(request))
        XCTAssertEqual(error?.code, .timeout)
        XCTAssertEqual(error?.phase, .refreshing)
        XCTAssertEqual(error?.response?.status, .unauthorized, "what it had got until then")
        XCTAssertEqual(bench.api.requestCount, 1)
        XCTAssertEqual(bench.gate.current?.generation, 2, "the refresh ran on")

        bench.isRevoked.withLock { $0 = false }
        bench.api.enqueue(ScriptedResponse(status: .unauthorized).after(.seconds(3)))
        bench.api.enqueue(ScriptedResponse(body: "hello").after(.seconds(7)))
        let began = bench.scheduler.clock
        let ending = Ending<Response>()
        let ended = Locked(0)
        _ = bench.client.send(request).subscribe { result in
            ended.withLock { $0 = bench.scheduler.clock }
            ending.set(result)
        }
        bench.scheduler.start()
        XCTAssertEqual(ending.error?.code, .timeout, "the replay has what the wait and the refresh have left")
        XCTAssertEqual(ended.withLock { $0 } - began, 10_000)
    }

    // Failure 23: the client replayed a body that it could not read twice as an empty body, or crashed.
    func testAOneShotRequestReceivesTheFirstResponseAndTheNextRequestUsesTheNewToken() throws {
        let bench = try ClientBench()
        bench.revoke()
        var request = try Request(.post, "https://api.example/x", body: .text("order"))
        request.isOneShot = true
        let respondedAt = Locked(-1)
        let ending = Ending<Response>()
        _ = bench.client.send(request).subscribe { result in
            respondedAt.withLock { $0 = bench.scheduler.clock }
            ending.set(result)
        }
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().text, "expired")
        XCTAssertEqual(respondedAt.withLock { $0 }, 0, "without waiting for the refresh")
        XCTAssertEqual(bench.tokens, ["a1"])
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a2"])
        XCTAssertEqual(bench.identity.requestCount, 1)
    }

    func testAStreamedBodyIsReadAgainForAReplayWhereThatIsPossible() throws {
        for isReplayable in [true, false] {
            let bench = try ClientBench()
            bench.revoke()
            let opened = Locked(0)
            let pieces = Observable<[UInt8]>.deferred {
                opened.withLock { $0 += 1 }
                return .of(Array("or".utf8), Array("der".utf8))
            }
            let response = try bench.result(
                bench.client.post("https://api.example/x", body: .stream(pieces, isReplayable: isReplayable)))?.get()
            XCTAssertEqual(response?.text, isReplayable ? "hello" : "expired")
            XCTAssertEqual(opened.withLock { $0 }, isReplayable ? 2 : 1)
            XCTAssertEqual(bench.api.requests.map(\.text), isReplayable ? ["order", "order"] : ["order"])
        }
    }

    // As in the queues of Ktor and axios, many requests with bodies run at once. Each of them gets its own response.
    func testEachReplaySendsItsOwnBodyAndReceivesItsOwnResponse() throws {
        let bench = try ClientBench()
        bench.revoke()
        let endings = (0..<20).map { _ in Ending<Response>() }
        for (number, ending) in endings.enumerated() {
            _ = bench.client.post("https://api.example/\(number)", body: .text("order \(number)"))
                .subscribe { ending.set($0) }
        }
        bench.scheduler.start()
        for ending in endings { XCTAssertEqual(try ending.value?.get().text, "hello") }
        let replays = bench.api.requests.filter { $0.bearerToken == "a2" }
        XCTAssertEqual(Set(replays.map { "\($0.target) \($0.text)" }), Set((0..<20).map { "/\($0) order \($0)" }))
        XCTAssertEqual(bench.api.requestCount, 40)
        XCTAssertEqual(bench.identity.requestCount, 1)
    }
}

/// Signs the request that the adapters before it have made.
private struct Signing: RequestInterceptor {
    let count: Locked<Int>

    func adapt(_ request: inout Request) -> Adaptation {
        XCTAssertNil(request.headers[.init("X-Signature")!], "from the caller's request, not from the last attempt")
        let number = count.withLock { count in
            count += 1
            return count
        }
        request.headers[.init("X-Signature")!] = "\(number) of \(request.headers[.authorization] ?? "nobody")"
        return .ready
    }
}

private struct Forgetful: Authenticator {
    func refresh(_ credential: Credential?) -> Single<Credential> { .just(Credential(accessToken: "a1")) }
    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool { false }
}
