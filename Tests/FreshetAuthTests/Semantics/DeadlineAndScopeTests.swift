import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the promises about cancelling, deadlines, logout, scope and replay through the public API only.
final class DeadlineAndScopeTests: FailureTestCase {
    func testADeadlineEndsTheWaitBeforeTheRequestIsSent() throws {
        let server = server { $0.refreshDelay = .seconds(10) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        pass(3600)
        var request = try Request(.get, StrictServer.origin + "/x")
        request.timeout = .seconds(2)
        let limited = start(app.client.send(request))
        pass(1.9)
        XCTAssertNil(limited.value)
        pass(0.2)
        XCTAssertEqual(limited.code, .timeout)
        XCTAssertEqual(server.api.requestCount, 0)
        pass(10)
        XCTAssertEqual(app.gate.current?.accessToken, "access-2.1", "the refresh ran on")
    }

    func testADeadlineCoversAllReplaysTogether() throws {
        let server = server { rules in
            rules.refreshDelay = .seconds(1)
            rules.resource = { _ in ScriptedResponse(status: .unauthorized).after(.seconds(1)) }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn())) { $0.maximumReplays = 100 }
        var request = try Request(.get, StrictServer.origin + "/x")
        request.timeout = .seconds(5)
        let call = start(app.client.send(request))
        pass(4.9)
        XCTAssertNil(call.value)
        pass(0.2)
        XCTAssertEqual(call.code, .timeout)
    }

    func testOfTenWaitersNineCancelAndTheTenthReceivesItsResponse() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let leaving = (0..<9).map { app.get("/\($0)").subscribe { _ in XCTFail("it has left") } }
        let staying = start(app.get("/9"))
        for (number, waiter) in leaving.enumerated() {
            pass(0.05)
            XCTAssertNil(staying.value, "\(number)")
            waiter.dispose()
        }
        finish(staying)
        XCTAssertEqual(staying.text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(server.api.requestCount, 11, "nothing is sent for who has left")
    }

    func testAnyKindOfStreamIsRestartedWithTheNewCredential() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn())) { $0.isExpired = { $0 is TokenEnded } }
        server.expire()
        let numbers = app.gate.withCredential { credential in
            server.takes(credential)
                ? Observable.of(1, 2, 3) : Observable.of(0).concat(Observable<Int>.error(TokenEnded()))
        }
        XCTAssertEqual(try result(of: numbers.toArray()), [0, 1, 2, 3])
        let responses = Observable.from(0..<20).flatMapRefreshing(with: app.gate) { number, credential in
            server.takes(credential) ? Single.just(number) : .error(TokenEnded())
        }
        server.expire()
        XCTAssertEqual(Set(try result(of: responses.toArray())), Set(0..<20))
        XCTAssertEqual(server.counts, .init(refreshes: 2))
    }

    func testOriginsAreComparedByTheirPartsAndNotAsText() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for url in ["https://api.example:443/x", "https://API.example/x", "HTTPS://api.Example/x#part"] {
            XCTAssertEqual(try result(of: app.client.get(url)).text, "in", url)
        }
        for location in ["/home", "//api.example/home", "https://API.EXAMPLE:443/home", "?again"] {
            server.api.enqueue(ScriptedResponse(status: .found, headers: [.location: location]))
            XCTAssertEqual(try result(of: app.get()).text, "in", location)
        }
    }

    func testARefusalAfterARedirectIsReplayedAtTheRedirectTarget() throws {
        let server = server { $0.resource = { ScriptedResponse(body: "\($0.method) \($0.path) \($0.text)") } }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.api.enqueue(ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/moved"]))
        server.expire()
        let call = app.client.post(StrictServer.origin + "/x", body: .text("order"))
        XCTAssertEqual(try result(of: call).text, "POST /moved order")
        XCTAssertEqual(server.api.requests.map(\.path), ["/x", "/moved", "/moved"])
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    func testAWrongTokenOfTheCallerCausesNoRefresh() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        let call = app.client.get(StrictServer.origin + "/x", headers: [.authorization: "Bearer mine"])
        XCTAssertEqual(try result(of: call).status, .unauthorized)
        XCTAssertEqual(server.counts, .init())
        XCTAssertEqual(server.api.requestCount, 1)
    }

    func testARefreshWhoseResponseWasLostEndsInOneLogin() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        server.loseResponses(1)
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        XCTAssertEqual(app.logins, [], "it may have been the way there")
        XCTAssertEqual(error(of: app.get())?.code, .loginRequired)
        XCTAssertEqual(server.counts, .init(refreshes: 1, refusals: 1, reuses: 1))
        for _ in 0..<3 { XCTAssertEqual(error(of: app.get())?.code, .loginRequired) }
        XCTAssertEqual(server.identity.requestCount, 2)
        XCTAssertEqual(app.logins, [.refused])
    }

    func testALoginRequiredObserverCanLogOutAndInSynchronously() throws {
        let server = server()
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        let done = Ending<Credential>()
        let new = server.signIn()
        let subscription = app.gate.loginRequired.subscribe(onNext: { _ in
            _ = app.gate.logout().flatMap { app.gate.login(new) }.subscribe { done.set($0) }
        })
        server.expire()
        server.identity.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest))
        let calls = (0..<3).map { start(app.get("/\($0)")) }
        finish(calls)
        finish(done)
        XCTAssertEqual(try done.value?.get().accessToken, new.accessToken)
        XCTAssertEqual(app.logins, [.refused])
        XCTAssertEqual(try stored(in: store).credential?.accessToken, new.accessToken)
        subscription.dispose()
    }

    func testNoPrintedValueContainsAToken() throws {
        let server = server()
        let store = MemoryStore(server.signIn())
        let authenticator = try server.authenticator()
        let app = try App(at: server, store: store, authenticator: authenticator)
        server.expire()
        server.identity.enqueue(.json(#"{"access_token":"access-x","refresh_token":7}"#))
        var printed: [Any] = [try XCTUnwrap(error(of: app.get()))]
        pass(60)
        let seen = Locked<[RequestEvent]>([])
        let watching = app.client.events(try Request(.get, StrictServer.origin + "/x")).subscribe(onNext: { event in
            seen.withLock { $0.append(event) }
        })
        pass(5)
        watching.dispose()
        for event in seen.withLock({ $0 }) {
            if case .attempt(_, let request) = event { printed += [request, request.tags] as [Any] }
            printed.append(event)
        }
        server.endSessions()
        server.identity.enqueue(.json(#"{"error":"access-x refresh-x"}"#, status: .badRequest))
        let refusal = try XCTUnwrap(error(of: app.get()))
        printed += [refusal, refusal.underlying as Any, refusal.response as Any]
        printed += [app.gate, store, authenticator, app.client, try stored(in: store), app.outcomes] as [Any]
        printed += app.refreshes.withLock { $0 } as [Any]
        for value in printed {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                XCTAssertFalse(text.contains("access-") || text.contains("refresh-"), text)
            }
        }
        XCTAssertGreaterThan(printed.count, 10)
    }
}

/// The error of a stream whose token has expired.
private struct TokenEnded: Error {}
