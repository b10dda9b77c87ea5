import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the examples that ``DocumentationTests`` finds in the pages.
final class ExampleTests: ResourceTestCase {
    private var runtime: FreshetRuntime!
    private var folder = ""

    override func setUpWithError() throws {
        try super.setUpWithError()
        runtime = try FreshetRuntime()
        folder = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        runtime.shutdown()
        runtime = nil
        try FileManager.default.removeItem(atPath: folder)
        try super.tearDownWithError()
    }

    private func credential(of server: TokenServer) -> Credential {
        let tokens = server.signIn()
        return Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
    }

    func testTheProgramsOfTheReadmePrintTheDocumentedLines() async throws {
        let server = try ScriptedServer(on: runtime.loop)
        defer { server.close() }
        server.enqueue(ScriptedResponse(body: "hello"))
        let lines = Locked<[String]>([])
        try await ReadmeExample.first(server.url) { line in lines.withLock { $0.append(line) } }
        XCTAssertEqual(lines.withLock { $0 }, ["hello"])
        lines.withLock { $0 = [] }
        try await ReadmeExample.run { line in lines.withLock { $0.append(line) } }
        let printed = lines.withLock { $0 }
        XCTAssertEqual(printed.first, "1000 responses, 3 expiries, 3 refreshes")
        let readme = try String(contentsOfFile: "README.md", encoding: .utf8)
        XCTAssertTrue(readme.contains("```\n\(printed.joined(separator: "\n"))\n```"))
    }

    func testTheFirstStepsGetAnItemAndObserveIt() async throws {
        let server = try ScriptedServer(on: runtime.loop)
        defer { server.close() }
        server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]))
        server.route(.get, "/item") { _ in .json(#"{"name": "one"}"#) }
        let item = try await GettingStarted.item(from: server.url)
        XCTAssertEqual(item, .init(name: "one"))

        let shown = expectation(description: "shown")
        let (url, client, scheduler) = (server.url, runtime.client, runtime.scheduler)
        let watching = Task {
            try await GettingStarted.watch(url, by: client, on: scheduler) { item in
                XCTAssertEqual(item, .init(name: "one"))
                shown.fulfill()
            }
        }
        await fulfillment(of: [shown], timeout: 10)
        watching.cancel()
        _ = await watching.result
    }

    func testABearerTokenIsRefreshedStoredAndReplayed() async throws {
        let server = try TokenServer(on: runtime.loop, rules: .init(expiry: .afterUses([0]))) { _ in .json(#"["a"]"#) }
        defer { server.close() }
        let path = folder + "/tokens.json"
        let store = runtime.fileStore(path)
        _ = try await runtime.gate(
            store: store, authenticator: ClosureAuthenticator { _ in .error(CancellationError()) }
        ).login(credential(of: server)).value
        let items = try await BearerAndRetry.items(
            of: server.url, tokenURL: server.tokenURL, storedAt: path, runtime: runtime)
        XCTAssertEqual(items, ["a"])
        XCTAssertEqual(server.counts.refreshes, 1)
        let stored = try await store.load().value
        XCTAssertEqual(stored.version, 2)

        server.revokeSessions()
        do {
            _ = try await BearerAndRetry.items(
                of: server.url, tokenURL: server.tokenURL, storedAt: path, runtime: runtime)
            XCTFail("a revoked session was let in")
        } catch {
            XCTAssertEqual(
                BearerAndRetry.reason(of: error),
                "responded with 401, and then: the refresh endpoint \(server.tokenURL) responded with 400 (invalid_grant)"
            )
        }
    }

    func testACauseInTheBodyIsRecognisedAndOthersReachTheCaller() async throws {
        var rules = TokenServer.Rules(expiry: .afterUses([0]))
        rules.expiryResponse = .errorCode("E05")
        let server = try TokenServer(on: runtime.loop, rules: rules) { request in
            request.path == "/items"
                ? .json(#"["a"]"#) : .json(#"{"errorCode":"E07"}"#, status: .internalServerError)
        }
        defer { server.close() }
        let (gate, authenticator) = try ErrorInTheBody.gate(
            store: MemoryStore(credential(of: server)), reissueURL: server.reissueURL, runtime: runtime)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])
        let items = try await ErrorInTheBody.items(of: server.url, by: client).value
        XCTAssertEqual(items, ["a"])
        XCTAssertEqual(server.counts.refreshes, 1)
        do {
            _ = try await ErrorInTheBody.items(of: server.url + "/other", by: client).value
            XCTFail("a failure was taken for a success")
        } catch {
            XCTAssertEqual((error as? ErrorInTheBody.Failure)?.errorCode, "E07")
        }
    }

    func testTheFirstScreenFollowsTheSession() async throws {
        let server = try TokenServer(on: runtime.loop)
        defer { server.close() }
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(server.tokenURL), client: runtime.refreshClient)
        func screen(_ store: MemoryStore) async throws -> String {
            try await SignedInFromTheStart.firstScreen(
                with: runtime.gate(store: store, authenticator: authenticator), probing: server.url, runtime: runtime
            ).value
        }
        var screens = [try await screen(MemoryStore(credential(of: server))), try await screen(MemoryStore())]
        let store = MemoryStore(credential(of: server))
        server.expireTokens()
        screens.append(try await screen(store))
        XCTAssertEqual(screens, ["home", "login", "home"])
    }

    func testAProviderEmitsResults() async throws {
        var rules = TokenServer.Rules(expiry: .afterUses([1]))
        rules.expiryResponse = .status(419)
        rules.accessToken = { $0.headers[HTTPField.Name("X-Access-Token")!] }
        let server = try TokenServer(on: runtime.loop, rules: rules) { request in
            switch (request.method, request.query) {
            case (.delete, _): ScriptedResponse(status: .noContent)
            case (_, "q=a%20b"?): .json("[]", status: .notFound)
            case (_, "q=c"?): .json(#"{"reason": "closed"}"#, status: .forbidden)
            default: .json(#"[{"title": "one"}]"#)
            }
        }
        defer { server.close() }
        let refreshed = Locked(0)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(server.tokenURL), client: runtime.refreshClient)
        let provider = try ReactiveProvider.provider(
            of: server.url, apiKey: "key", store: MemoryStore(credential(of: server)), runtime: runtime
        ) { credential in
            refreshed.withLock { $0 += 1 }
            return authenticator.refresh(credential)
        }
        for _ in 0..<2 {
            let latest = try await provider.request(.latest, as: [ReactiveProvider.Article].self).value
            XCTAssertEqual(latest, .success([.init(title: "one")]))
        }
        let none = try await provider.request(.search("a b"), as: [ReactiveProvider.Article].self).value
        XCTAssertEqual(none, .failure(.failed(.status)))
        let closed = try await provider.request(.search("c"), as: [ReactiveProvider.Article].self).value
        XCTAssertEqual(closed, .failure(.refused(.init(reason: "closed"))))
        try await provider.perform(.delete(7)).value.get()
        XCTAssertEqual(refreshed.withLock { $0 }, 1)
        XCTAssertEqual(server.requests.last?.headers[HTTPField.Name("X-Api-Key")!], "key")
    }

    func testManyCallsShareOneRefresh() async throws {
        let server = try TokenServer(on: runtime.loop, rules: .init(expiry: .afterUses([0])))
        defer { server.close() }
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(server.tokenURL), client: runtime.refreshClient)
        let gate = runtime.gate(store: MemoryStore(credential(of: server)), authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])
        let lines = Locked<[String]>([])
        let watching = ManyAtOnce.watch(gate) { line in lines.withLock { $0.append(line) } }
        defer { watching.dispose() }
        let responses = try await ManyAtOnce.load(100, from: server.url, by: client).value
        XCTAssertEqual(responses.count, 100)
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(lines.withLock { $0.count }, 1)
    }
}
