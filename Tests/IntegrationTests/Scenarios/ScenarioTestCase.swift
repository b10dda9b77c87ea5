import FreshetAuth
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// A live client on one loop, and a scripted server on the same loop.
class ScenarioTestCase: ResourceTestCase {
    private var transports: [CurlTransport] = []
    private var subscriptions = CompositeDisposable()
    private(set) var loop: Loop!

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop(name: "scenario")
        transports = (0..<2).map { _ in CurlTransport(loop: loop) }
        subscriptions = CompositeDisposable()
    }

    override func tearDown() {
        subscriptions.dispose()
        transports.forEach { $0.shutdown() }
        loop.shutdown()
        transports = []
        loop = nil
        subscriptions = CompositeDisposable()
    }

    var scheduler: LoopScheduler { LoopScheduler(loop) }

    /// A client for requests.
    func client(_ interceptors: any RequestInterceptor...) -> HTTPClient {
        HTTPClient(transport: transports[0], scheduler: scheduler, interceptors: interceptors)
    }

    /// A client for refreshes, which must not wait for connections that requests hold.
    var refreshClient: HTTPClient { HTTPClient(transport: transports[1], scheduler: scheduler) }

    func gate(
        _ store: any CredentialStore, _ authenticator: any Authenticator
    ) -> RefreshGate {
        RefreshGate(store: store, authenticator: authenticator, scheduler: scheduler)
    }

    func oauth(_ server: TokenServer, expired: ExpiryRule = ExpiryRule()) throws -> OAuthAuthenticator {
        try OAuthAuthenticator(tokenURL: try RequestURL(server.tokenURL), expired: expired, client: refreshClient)
    }

    /// Waits until all requests have had their responses, and the observers have received them.
    func waitForResponses() async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while transports[0].gauges.running + transports[0].gauges.queued > 0 {
            guard ContinuousClock.now < deadline else { return XCTFail("not answered within 20 s") }
            try await Task.sleep(for: .milliseconds(2))
        }
        try await Single.just(()).observe(on: scheduler).value
    }

    /// The logins that the gate has asked for.
    func loginRequests(of gate: RefreshGate) -> Locked<[LoginRequired]> {
        collected(gate.loginRequired)
    }

    func collected<Element: Sendable>(_ stream: Observable<Element>) -> Locked<[Element]> {
        let elements = Locked<[Element]>([])
        subscriptions.insert(stream.subscribe(onNext: { element in elements.withLock { $0.append(element) } }))
        return elements
    }

    /// The error with which `single` must fail.
    func failure<Element: Sendable>(
        of single: Single<Element>, file: StaticString = #filePath, line: UInt = #line
    ) async -> HTTPClientError {
        do {
            XCTFail("succeeded with \(try await single.value)", file: file, line: line)
        } catch let error as HTTPClientError {
            return error
        } catch {
            XCTFail("\(error)", file: file, line: line)
        }
        return HTTPClientError(.cancelled, phase: .preparing, message: "no HTTPClientError")
    }
}

extension Credential {
    init(_ tokens: TokenServer.Tokens) {
        self.init(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
    }
}

extension TokenServer {
    /// The requests for resources, without those to the token endpoints.
    var resourceRequests: [RecordedRequest] {
        requests.filter { !["/token", "/reissue"].contains($0.path) }
    }
}

extension HTTPField.Name {
    static let accessToken = HTTPField.Name("X-Access-Token")!
    static let refreshToken = HTTPField.Name("X-Refresh-Token")!
    static let apiKey = HTTPField.Name("X-Api-Key")!
}
