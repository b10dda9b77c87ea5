import Freshet
import FreshetCore
import FreshetHTTPTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import XCTest

final class RuntimeEndingTests: ResourceTestCase {
    private var loop: Loop!
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server.close()
        loop.shutdown()
        server = nil
        loop = nil
    }

    /// An expectation that the next request fulfills.
    ///
    /// - Parameter count: how many requests have arrived before.
    private func arrival(after count: Int = 0) -> XCTestExpectation {
        let arrived = expectation(description: "arrived")
        _ = server.received.skip(count).take(1).subscribe(onNext: { _ in arrived.fulfill() })
        return arrived
    }

    func testAClientWithoutOriginsForItsCredentialIsRefused() throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let authenticator = ClosureAuthenticator { _ in .never() }
        let gate = runtime.gate(store: MemoryStore(), authenticator: authenticator)
        XCTAssertThrowsError(try runtime.client(authenticatedBy: gate, authenticator, origins: [])) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
        }
    }

    func testRunningRequestsHaveTheGracePeriodAndNewOnesAreRefused() async throws {
        let barrier = Barrier()
        server.route { request in
            request.target == "/slow" ? ScriptedResponse(body: "ok").delayed(until: barrier) : ScriptedResponse()
        }
        let runtime = try FreshetRuntime()
        let request = try Request(.get, server.url + "/slow")
        let arrived = arrival()
        let running = Task { try await runtime.client.send(request).value.text }
        await fulfillment(of: [arrived], timeout: 30)
        let ending = Task { await runtime.shutdown(gracePeriod: .seconds(30)) }
        var refusal: HTTPClientError?
        for _ in 0..<10_000 where refusal == nil {
            do { _ = try await runtime.client.get(server.url).value } catch { refusal = error as? HTTPClientError }
        }
        XCTAssertEqual(refusal?.code, .cancelled)
        XCTAssertTrue(refusal?.message.contains("shutting down") == true, "\(String(describing: refusal))")
        barrier.release()
        let text = try await running.value
        XCTAssertEqual(text, "ok")
        await ending.value
        await runtime.shutdown(gracePeriod: .seconds(30))
    }

    func testAGateFailsAfterTheShutdownInsteadOfWaitingForever() async throws {
        let runtime = try FreshetRuntime()
        let gate = runtime.gate(store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .never() })
        let waiting = Task { try await gate.refreshNow().value }
        try await runtime.client.get(server.url).map { _ in }.value
        runtime.shutdown()
        let calls: [Single<Void>] = [
            gate.login(Credential(accessToken: "a")).map { _ in }, gate.logout(), gate.refreshNow().map { _ in },
            gate.credential().map { _ in },
        ]
        for call in [
            Single.create { observer in
                let task = Task { observer(await waiting.result.map { _ in }) }
                return Disposables.create { task.cancel() }
            }
        ] + calls {
            do {
                try await call.value
                XCTFail("it succeeded")
            } catch {
                XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled, "\(error)")
            }
        }
    }

    func testRequestsThatExceedTheGracePeriodAreCancelled() async throws {
        server.route { _ in .silence }
        let runtime = try FreshetRuntime()
        let request = try Request(.get, server.url)
        let arrived = arrival()
        let running = Task { try await runtime.client.send(request).value }
        await fulfillment(of: [arrived], timeout: 30)
        await runtime.shutdown(gracePeriod: .milliseconds(20))
        do {
            _ = try await running.value
            XCTFail("answered")
        } catch {
            XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled)
        }
    }

    func testEventStreamsAndRequestsThatWaitForARetryEnd() async throws {
        server.route { request in
            request.target == "/events"
                ? ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "data: a\n\ndata: b\n\n")
                    .pausing(after: 9, until: Barrier())
                : ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "30"])
        }
        let runtime = try FreshetRuntime()
        let url = server.url
        let (opened, retried) = (expectation(description: "opened"), expectation(description: "retried"))
        let (closed, ended) = (expectation(description: "closed"), expectation(description: "ended"))
        let stream = EventSource(try Request(.get, url + "/events"), by: runtime.client).subscribe(
            onNext: { _ in opened.fulfill() }, onError: { _ in closed.fulfill() })
        let waiting = runtime.client.with(interceptors: [RetryPolicy(limit: 1)]).events(try Request(.get, url))
            .subscribe(
                onNext: { if case .retry = $0 { retried.fulfill() } }, onError: { _ in ended.fulfill() })
        await fulfillment(of: [opened, retried], timeout: 20)
        await runtime.shutdown(gracePeriod: .milliseconds(20))
        await fulfillment(of: [closed, ended], timeout: 20)
        stream.dispose()
        waiting.dispose()
    }

    func testAnEventStreamThatWaitsToReconnectEndsAtOnce() async throws {
        server.route { _ in ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "retry: 3600000\n\n") }
        let runtime = try FreshetRuntime()
        let (waiting, closed) = (expectation(description: "waiting"), expectation(description: "closed"))
        let stream = EventSource(try Request(.get, server.url), by: runtime.client).signals.subscribe(
            onNext: { if case .reconnecting = $0 { waiting.fulfill() } },
            onError: { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled)
                closed.fulfill()
            })
        await fulfillment(of: [waiting], timeout: 20)
        await runtime.shutdown(gracePeriod: .seconds(30))
        await fulfillment(of: [closed], timeout: 20)
        stream.dispose()
    }

    func testAServiceEndsWithItsGroup() async throws {
        let runtime = try FreshetRuntime()
        let url = server.url
        try await testGracefulShutdown { trigger in
            async let service: Void = runtime.run()
            let status = try await runtime.client.get(url).value.status
            XCTAssertEqual(status.code, 404)
            trigger.triggerGracefulShutdown()
            try await service
        }
        do {
            _ = try await runtime.client.get(url).value
            XCTFail("answered")
        } catch {
            XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled)
        }
    }

    func testATaskOnTheLoopCanAwaitTheShutdownAndContinuesElsewhere() async throws {
        for count in [1, 2] {
            var configuration = FreshetRuntime.Configuration()
            configuration.loops = count
            let runtime = try FreshetRuntime(configuration: configuration)
            let isOnLoop = await withTaskExecutorPreference(runtime.loop.taskExecutor) {
                let before = runtime.loop.isCurrent
                await runtime.shutdown(gracePeriod: .seconds(30))
                return [before, runtime.loop.isCurrent]
            }
            XCTAssertEqual(isOnLoop, [true, false])
        }
    }

    func testAServiceOnTheLoopEndsWithItsGroup() async throws {
        let runtime = try FreshetRuntime()
        try await testGracefulShutdown { trigger in
            try await withTaskExecutorPreference(runtime.loop.taskExecutor) {
                async let service: Void = runtime.run()
                trigger.triggerGracefulShutdown()
                try await service
            }
        }
        XCTAssertFalse(runtime.loop.execute {}, "the loop still runs")
    }

    func testACancelledServiceOnTheLoopEnds() async throws {
        server.route { _ in .silence }
        let runtime = try FreshetRuntime()
        let request = try Request(.get, server.url)
        let arrived = arrival()
        let running = Task { try await runtime.client.send(request).value }
        await fulfillment(of: [arrived], timeout: 30)
        let service = Task(executorPreference: runtime.loop.taskExecutor) { try await runtime.run() }
        service.cancel()
        try await service.value
        let result = await running.result
        XCTAssertThrowsError(try result.get())
    }

    func testACancelledServiceEndsAtOnce() async throws {
        server.route { _ in .silence }
        let runtime = try FreshetRuntime()
        let request = try Request(.get, server.url)
        let arrived = arrival()
        let running = Task { try await runtime.client.send(request).value }
        await fulfillment(of: [arrived], timeout: 30)
        let service = Task { try await runtime.run() }
        service.cancel()
        try await service.value
        let result = await running.result
        XCTAssertThrowsError(try result.get())
    }

    /// A group cancels its services when one of them throws. The server may have spent the refresh token by then.
    func testACancelledServiceStoresTheResultOfARunningRefreshAndEndsItsRequestsAtOnce() async throws {
        let barrier = Barrier()
        server.route { request in
            request.target == "/token"
                ? .json(#"{"access_token":"a2","refresh_token":"r2"}"#).delayed(until: barrier) : .silence
        }
        let runtime = try FreshetRuntime()
        let (gate, store) = try refreshingGate(on: runtime)
        let (asked, arrived) = (arrival(), arrival(after: 1))
        let refreshing = gate.refreshNow().subscribe { _ in }
        await fulfillment(of: [asked], timeout: 20)
        let request = try Request(.get, server.url)
        let running = Task { try await runtime.client.send(request).value }
        await fulfillment(of: [arrived], timeout: 20)
        let service = Task { try await runtime.run() }
        service.cancel()
        let result = await running.result
        XCTAssertEqual(try? result.get().status.code, nil)
        barrier.release()
        try await service.value
        let stored = try await store.load().value
        XCTAssertEqual(stored.credential?.refreshToken, "r2")
        refreshing.dispose()
    }

    func testACancelledServiceWaitsForARefreshNoLongerThanTheGracePeriod() async throws {
        server.route { _ in .silence }
        var configuration = FreshetRuntime.Configuration()
        configuration.gracePeriod = .milliseconds(20)
        let runtime = try FreshetRuntime(configuration: configuration)
        let (gate, store) = try refreshingGate(on: runtime)
        let asked = arrival()
        let refreshing = gate.refreshNow().subscribe { _ in }
        await fulfillment(of: [asked], timeout: 20)
        let service = Task { try await runtime.run() }
        service.cancel()
        try await service.value
        let stored = try await store.load().value
        XCTAssertEqual(stored.credential?.refreshToken, "r1")
        refreshing.dispose()
    }

    private func refreshingGate(on runtime: FreshetRuntime) throws -> (RefreshGate, MemoryStore) {
        let store = MemoryStore(Credential(accessToken: "a1", refreshToken: "r1"))
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(server.url + "/token"), clientID: "a", client: runtime.refreshClient)
        return (runtime.gate(store: store, authenticator: authenticator), store)
    }

    /// The lock is the kernel's, so another gate of the same file would wait for it until the process ends.
    func testAShutdownDuringARefreshStoresItsResultAndReleasesTheLockOfTheFile() async throws {
        server.route { _ in
            .json(#"{"access_token":"a2","refresh_token":"r2","expires_in":600}"#).after(.milliseconds(100))
        }
        let path = try temporaryDirectory().appendingPathComponent("store.json").path
        func gate(on runtime: FreshetRuntime) throws -> RefreshGate {
            let authenticator = try OAuthAuthenticator(
                tokenURL: RequestURL(server.url), clientID: "a", client: runtime.refreshClient)
            return runtime.gate(store: runtime.fileStore(path), authenticator: authenticator)
        }
        for round in 0..<5 {
            let old = try FreshetRuntime()
            let oldGate = try gate(on: old)
            _ = try await oldGate.login(Credential(accessToken: "a1", refreshToken: "r1")).value
            let arrived = arrival(after: round)
            let refreshing = oldGate.refreshNow().subscribe { _ in }
            await fulfillment(of: [arrived], timeout: 20)
            refreshing.dispose()
            await old.shutdown(gracePeriod: .seconds(20))
            let new = try FreshetRuntime()
            let session = try await gate(on: new).credential().timeout(.seconds(20), scheduler: new.scheduler).value
            XCTAssertEqual(session.accessToken, "a2")
            _ = try await gate(on: new).login(session).timeout(.seconds(20), scheduler: new.scheduler).value
            new.shutdown()
            withExtendedLifetime(oldGate) {}
        }
    }
}
