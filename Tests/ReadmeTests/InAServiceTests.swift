import Freshet
import FreshetHTTPTesting
import Logging
import ServiceLifecycle
import XCTest

final class InAServiceTests: ResourceTestCase {
    /// All services of a group begin at once, so a request can demand a login before the keeper's `run()` begins.
    func testALoginThatWasDemandedBeforeTheServiceRunsIsNotMissed() async throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let gate = runtime.gate(
            store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .error(RefreshRefusal("none")) })
        let (logins, login) = AsyncStream.makeStream(of: Void.self)
        let keeper = LoginKeeper(gate) { login.yield() }
        do {
            _ = try await gate.credential().value
            XCTFail("nobody has logged in")
        } catch let error as HTTPClientError {
            XCTAssertEqual(error.code, .loginRequired)
        }
        let service = Task { try await keeper.run() }
        for await _ in logins { break }
        service.cancel()
        _ = await service.result
    }

    func testAServiceFinishesItsWorkInOrderAndTakesNoNewEventOnSIGTERM() async throws {
        let events = (1...3).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
        let more = Barrier()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (shutdown, shut) = AsyncStream.makeStream(of: Void.self)
        let (first, finish) = AsyncStream.makeStream(of: Void.self)
        let saved = Locked<[String]>([])
        try await withEvents(
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: events + "id: 4\ndata: 4\n\n")
                .pausing(after: events.utf8.count, until: more)
        ) { source, server in
            let worker = Worker(source: source) { event in
                begin.yield()
                // The first work ends after the others.
                if event.id == "1" { for await _ in first { break } }
            } save: { id in
                saved.withLock { $0.append(id) }
            }
            let group = ServiceGroup(
                services: [
                    Work {
                        async let running: Void = worker.run()
                        for await _ in begun.prefix(3) {}
                        XCTAssertEqual(saved.withLock { $0 }, [], "an ID waits for the work before it")
                        shut.yield()
                        // The worker registered before, so it is notified before.
                        try await gracefulShutdown()
                        more.release()
                        finish.yield()
                        try await running
                    }
                ], logger: Logger(label: "worker"))
            async let end: Void = group.run()
            for await _ in shutdown { break }
            await group.triggerGracefulShutdown()
            try await end
        }
        XCTAssertEqual(saved.withLock { $0 }, ["1", "2", "3"])
    }

    func testAServiceThatIsToEndBeforeItsStreamBeginsEnds() async throws {
        let (shutdown, shut) = AsyncStream.makeStream(of: Void.self)
        try await withEvents(.silence) { source, server in
            let worker = Worker(source: source) { _ in
                XCTFail("took an event")
            } save: { _ in
            }
            let group = ServiceGroup(
                services: [
                    Work {
                        shut.yield()
                        try await gracefulShutdown()
                        try await worker.run()
                    }
                ], logger: Logger(label: "worker"))
            async let end: Void = group.run()
            for await _ in shutdown { break }
            await group.triggerGracefulShutdown()
            try await end
            XCTAssertEqual(server.requests.count, 0)
        }
    }

    func testAServiceThatWaitsForALoginEndsWithoutAnErrorOnSIGTERM() async throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        var settings = RefreshGate.Settings()
        settings.whenLoginIsRequired = .wait
        let authenticator = ClosureAuthenticator { _ in .error(RefreshRefusal("none")) }
        let gate = runtime.gate(store: MemoryStore(), authenticator: authenticator, settings: settings)
        let api = "http://127.0.0.1:1"
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [api])
        let (demands, demand) = AsyncStream.makeStream(of: Void.self)
        let asking = gate.loginRequired.subscribe(onNext: { _ in demand.yield() })
        defer { asking.dispose() }
        let group = ServiceGroup(
            services: [
                Work {
                    try await InAService.show(client.get(api).text().asObservable(), of: gate) { _ in
                        XCTFail("nobody has logged in")
                    }
                }
            ], logger: Logger(label: "poll"))
        async let end: Void = group.run()
        for await _ in demands { break }
        await group.triggerGracefulShutdown()
        try await end
    }

    private struct Work: Service {
        let body: @Sendable () async throws -> Void

        init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func run() async throws { try await body() }
    }

    private func withEvents(
        _ response: ScriptedResponse, _ test: (EventSource, ScriptedServer) async throws -> Void
    ) async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        defer {
            server.close()
            runtime.shutdown()
        }
        server.enqueue(response)
        try await test(EventSource(try Request(.get, server.url), by: runtime.client), server)
    }
}
