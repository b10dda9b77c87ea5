import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

final class BrowserLoginTests: XCTestCase {
    private var resources = 0
    private let granted = ScriptedResponse.json(#"{"access_token":"a","refresh_token":"r"}"#)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Passes on the callbacks that a test sends.
    private final class Receiver: CallbackReceiver {
        let received = Locked<(@Sendable (Callback) -> CallbackResult)?>(nil)
        let isOpen = Locked(false)

        func receive(
            ready: @escaping @Sendable (_ redirectURI: String) -> Void,
            received: @escaping @Sendable (Callback) -> CallbackResult,
            failed: @escaping @Sendable (any Error) -> Void
        ) -> any Disposable {
            self.received.withLock { $0 = received }
            isOpen.withLock { $0 = true }
            ready("http://127.0.0.1:7/callback")
            return Disposables.create { [isOpen, received = self.received] in
                isOpen.withLock { $0 = false }
                received.withLock { $0 = nil }
            }
        }

        func send(_ query: String) -> CallbackResult? {
            received.withLock { $0 }?(Callback(query: query))
        }
    }

    private struct Attempt {
        let bench = LoginBench()
        let receiver = Receiver()
        var server: AuthorizationServer
        var scope = LoginScope()
        var requiresAnnouncedPKCE = false

        init() throws {
            server = AuthorizationServer(issuer: "https://id.example")
            server.authorizationEndpoint = try RequestURL("https://id.example/authorize?tenant=t")
            server.codeChallengeMethods = ["plain", "S256"]
        }

        func begin() throws -> (query: [String: String], subscription: any Disposable) {
            let login = BrowserLogin(
                server: server, endpoint: try bench.endpoint(), callbacks: receiver, scope: scope,
                requiresAnnouncedPKCE: requiresAnnouncedPKCE, scheduler: bench.scheduler, secondsSince1970: { 1000 })
            let subscription = bench.begin(login.events())
            guard case .browser(let url, _)? = bench.events.withLock({ $0.first }) else { return ([:], subscription) }
            let pairs = url.pathAndQuery.split(separator: "?", maxSplits: 1)[1].split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts[1])
            }
            return (Dictionary(uniqueKeysWithValues: pairs), subscription)
        }
    }

    func testTheCodeIsExchangedWithTheVerifierOfTheChallenge() throws {
        var attempt = try Attempt()
        attempt.scope = LoginScope(scope: "a b", resources: ["https://r/"], parameters: ["prompt": "consent"])
        let (query, subscription) = try attempt.begin()
        XCTAssertEqual(query["tenant"], "t")
        XCTAssertEqual(query["response_type"], "code")
        XCTAssertEqual(query["client_id"], "cli")
        XCTAssertEqual(query["redirect_uri"], "http%3A%2F%2F127.0.0.1%3A7%2Fcallback")
        XCTAssertEqual(query["scope"], "a+b")
        XCTAssertEqual(query["resource"], "https%3A%2F%2Fr%2F")
        XCTAssertEqual(query["prompt"], "consent")
        XCTAssertEqual(query["code_challenge_method"], "S256")
        attempt.bench.script(granted)
        XCTAssertEqual(attempt.receiver.send("code=c%2B1&state=\(query["state"]!)"), .accepted)
        XCTAssertFalse(attempt.receiver.isOpen.withLock { $0 }, "the port is closed before the exchange ends")
        attempt.bench.scheduler.start()
        XCTAssertEqual(attempt.bench.credential?.accessToken, "a")
        let form = try XCTUnwrap(attempt.bench.server.requests.first?.text)
        let verifier = try XCTUnwrap(form.split(separator: "&").first { $0.hasPrefix("code_verifier=") }).dropFirst(14)
        XCTAssertEqual(verifier.count, 43)
        XCTAssertEqual(PKCE(verifier: String(verifier)).challenge, query["code_challenge"])
        for field in ["grant_type=authorization_code", "code=c%2B1", "resource=https%3A%2F%2Fr%2F", "client_id=cli"] {
            XCTAssertTrue(form.contains(field), form)
        }
        subscription.dispose()
    }

    /// The test vector of RFC 7636, appendix B.
    func testTheChallengeMatchesTheStandard() {
        XCTAssertEqual(
            PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").challenge,
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        XCTAssertNotEqual(PKCE().verifier, PKCE().verifier)
    }

    /// can1357/oh-my-pi#4106: a forged error ended the login. getnao/nao PR#1481: an error with the right state was ignored.
    func testACallbackOfAnotherLoginIsIgnored() throws {
        let attempt = try Attempt()
        let (query, subscription) = try attempt.begin()
        let state = query["state"]!
        for query in [
            "", "code=c", "code=c&state=other", "error=access_denied", "error=access_denied&state=x", "state=\(state)",
            "code=c&state=\(state)&state=\(state)", "code=&state=\(state)", "code=%ZZ&state=\(state)x",
        ] {
            XCTAssertEqual(attempt.receiver.send(query), .ignored, query)
        }
        XCTAssertNil(attempt.bench.ending.withLock { $0 == nil ? nil : "ended" })
        subscription.dispose()
    }

    func testEachErrorOfACallbackRefusesTheLoginAndIsNamed() throws {
        for error in ["access_denied", "invalid_scope", "server_error"] {
            let attempt = try Attempt()
            let (query, subscription) = try attempt.begin()
            XCTAssertEqual(attempt.receiver.send("error=\(error)&state=\(query["state"]!)"), .refused)
            let ending = try XCTUnwrap(attempt.bench.error)
            XCTAssertEqual(ending.code, .accessDenied, error)
            XCTAssertTrue(ending.message.contains(error), ending.message)
            XCTAssertEqual(ending.recoverySuggestion, OAuthErrorCode(rawValue: error).recoverySuggestion)
            subscription.dispose()
        }
    }

    /// RFC 9207 section 2.4; higgsfield-ai/cli#67: a client must compare `iss` as text, before it reads the error.
    func testACallbackOfAnotherIssuerEndsTheLoginWithoutATokenRequest() throws {
        for (names, iss) in [
            (false, "&iss=https%3A%2F%2Fevil.example"), (false, "&iss=https%3A%2F%2Fid.example%2F"), (true, ""),
        ] {
            for rest in ["code=c", "error=access_denied"] {
                var attempt = try Attempt()
                attempt.server.namesIssuer = names
                let (query, subscription) = try attempt.begin()
                XCTAssertEqual(attempt.receiver.send("\(rest)&state=\(query["state"]!)\(iss)"), .refused)
                XCTAssertEqual(attempt.bench.error?.code, .issuerMismatch, "\(rest)\(iss)")
                XCTAssertEqual(attempt.bench.server.requestCount, 0)
                subscription.dispose()
            }
        }
        let attempt = try Attempt()
        let (query, subscription) = try attempt.begin()
        let good = "code=c&state=\(query["state"]!)&iss=https%3A%2F%2Fid.example"
        XCTAssertEqual(attempt.receiver.send(good), .accepted)
        subscription.dispose()
    }

    /// amd/gaia#4008: a person needs more than 120 s.
    func testALoginTimesOutAfterTenMinutes() throws {
        let attempt = try Attempt()
        let (_, subscription) = try attempt.begin()
        attempt.bench.scheduler.start()
        XCTAssertEqual(attempt.bench.error?.code, .timeout)
        XCTAssertEqual(attempt.bench.now, 1600)
        XCTAssertFalse(attempt.receiver.isOpen.withLock { $0 })
        subscription.dispose()
    }

    func testALoginEndsWithTheClient() throws {
        let attempt = try Attempt()
        let (_, subscription) = try attempt.begin()
        let draining = attempt.bench.client.drain().subscribe { _ in }
        XCTAssertEqual(attempt.bench.error?.code, .cancelled)
        XCTAssertFalse(attempt.receiver.isOpen.withLock { $0 })
        subscription.dispose()
        draining.dispose()
        attempt.bench.scheduler.start()
    }

    func testAServerWithoutS256IsRefused() throws {
        var attempt = try Attempt()
        attempt.server.codeChallengeMethods = ["plain"]
        let (_, subscription) = try attempt.begin()
        XCTAssertEqual(attempt.bench.error?.code, .discovery)
        subscription.dispose()
    }

    /// modelcontextprotocol/typescript-sdk#832: Entra ID supports PKCE and does not announce it.
    func testAServerThatDoesNotAnnouncePKCEIsRefusedOnlyIfTheProgramRequiresIt() throws {
        for isRequired in [false, true] {
            var attempt = try Attempt()
            attempt.server.codeChallengeMethods = nil
            attempt.requiresAnnouncedPKCE = isRequired
            let (query, subscription) = try attempt.begin()
            XCTAssertEqual(attempt.bench.error?.code, isRequired ? .discovery : nil)
            XCTAssertEqual(query["code_challenge_method"], isRequired ? nil : "S256")
            subscription.dispose()
        }
        var attempt = try Attempt()
        attempt.requiresAnnouncedPKCE = true
        let (query, subscription) = try attempt.begin()
        XCTAssertEqual(query["code_challenge_method"], "S256")
        subscription.dispose()
    }

    /// RFC 9126 section 5: such a server shows its error in the browser alone, and the login would wait for its whole limit.
    func testAServerThatAcceptsOnlyPushedRequestsIsRefusedAtOnce() throws {
        for isRequired in [false, true] {
            var attempt = try Attempt()
            attempt.server = try AuthorizationServer(
                .object([
                    "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize?tenant=t",
                    "require_pushed_authorization_requests": .bool(isRequired),
                ]))
            let (_, subscription) = try attempt.begin()
            XCTAssertEqual(attempt.bench.error?.code, isRequired ? .discovery : nil)
            subscription.dispose()
        }
    }

    func testAPastedURLIsCheckedLikeACallback() throws {
        let lines = PublishSubject<String>()
        let bench = LoginBench()
        var server = AuthorizationServer(issuer: "https://id.example")
        server.authorizationEndpoint = try RequestURL("https://id.example/authorize")
        let login = BrowserLogin(
            server: server, endpoint: try bench.endpoint(), callbacks: PasteReceiver(lines: lines.asObservable()),
            scheduler: bench.scheduler)
        let subscription = bench.begin(login.events())
        guard case .browser(let url, _)? = bench.events.withLock({ $0.first }) else { return XCTFail("no address") }
        let state = try XCTUnwrap(url.pathAndQuery.split(separator: "&").first { $0.hasPrefix("state=") })
        lines.onNext("nonsense")
        bench.script(granted)
        lines.onNext("  http://127.0.0.1/callback?code=c&\(state) ")
        bench.scheduler.start()
        XCTAssertNotNil(bench.credential)
        XCTAssertEqual(bench.events.withLock { $0.count }, 3, "one line was another login's")
        subscription.dispose()
        let ended = bench.begin(login.events())
        lines.onCompleted()
        XCTAssertEqual(bench.error?.code, .cancelled)
        ended.dispose()
    }

    /// knowsuchagency/mcp2cli#54: the port of the callback differed from the registered one.
    func testAClientRegistersWithTheRedirectURIOfItsLogin() throws {
        let attempt = try Attempt()
        let bench = attempt.bench
        var server = attempt.server
        server.tokenEndpoint = try RequestURL("https://id.example/token")
        server.registrationEndpoint = try RequestURL("https://id.example/register")
        bench.script(.json(#"{"client_id":"c1"}"#), granted)
        let login = BrowserLogin(server: server, callbacks: attempt.receiver, scheduler: bench.scheduler) {
            [client = bench.client, server] redirectURI in
            ClientRegistration(client: client).register(
                ClientMetadata(name: "Freshet", redirectURIs: [redirectURI]), at: server
            ).map { try $0.tokenEndpoint(of: server, client: client) }
        }
        let subscription = bench.begin(login.events())
        bench.scheduler.advanceBy(100)
        XCTAssertTrue(bench.server.requests.first?.text.contains("http://127.0.0.1:7/callback") ?? false)
        guard case .browser(let url, _)? = bench.events.withLock({ $0.first }) else { return XCTFail("no address") }
        XCTAssertTrue(url.pathAndQuery.contains("client_id=c1"), url.pathAndQuery)
        let state = try XCTUnwrap(url.pathAndQuery.split(separator: "&").first { $0.hasPrefix("state=") })
        XCTAssertEqual(attempt.receiver.send("code=c&\(state)"), .accepted)
        bench.scheduler.advanceBy(100)
        XCTAssertEqual(bench.credential?.accessToken, "a")
        subscription.dispose()
    }

    func testNoDescriptionOfARequestHasItsVerifierOrItsState() throws {
        var server = AuthorizationServer(issuer: "https://id.example")
        server.authorizationEndpoint = try RequestURL("https://id.example/authorize")
        let request = try AuthorizationRequest(
            to: server, clientID: "id", redirectURI: "http://127.0.0.1:1/", scope: LoginScope(), keyThumbprint: nil)
        var dumped = "\(request) \(String(reflecting: request))"
        dump(request, to: &dumped)
        XCTAssertFalse(dumped.contains(request.pkce.verifier), dumped)
        XCTAssertFalse(dumped.contains(request.state), dumped)
    }

    /// U+212A is the sign of Kelvin, and equal to a K in Swift.
    func testTheIssuerOfACallbackIsComparedByteByByte() throws {
        var attempt = try Attempt()
        attempt.server.issuer = "https://id.example/K"
        let (query, subscription) = try attempt.begin()
        defer { subscription.dispose() }
        let state = try XCTUnwrap(query["state"])
        let result = attempt.receiver.send("code=c&state=\(state)&iss=https%3A%2F%2Fid.example%2F%E2%84%AA")
        XCTAssertEqual(result, .refused)
        XCTAssertEqual(attempt.bench.error?.code, .issuerMismatch)
    }
}
