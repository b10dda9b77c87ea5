import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLayers
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests that no user gets the response of another one, also if what decides on the account is known late.
final class CoalescingAccountTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private struct User: RequestTag {
        let name: String
    }

    /// Puts the token of the request's user on requests to `/v2`.
    private struct Accounts: RequestInterceptor {
        func account(of request: Request) -> AccountResolution {
            .ready(serves(request) ? RequestAccount(loginID: request.tags[User.self]?.name) : nil)
        }

        func adapt(_ request: inout Request) -> Adaptation {
            if serves(request), let user = request.tags[User.self] {
                request.headers[.authorization] = "Bearer \(user.name)"
            }
            return .ready
        }

        private func serves(_ request: Request) -> Bool { request.url.path.hasPrefix("/v2") }
    }

    /// Puts the version of the API before the path. It adds no credential.
    private struct Versioned: RequestInterceptor {
        func account(of request: Request) -> AccountResolution { .ready(nil) }

        func adapt(_ request: inout Request) -> Adaptation {
            if !request.url.path.hasPrefix("/v2"), let url = try? RequestURL("https://a.example/v2\(request.url.path)")
            {
                request.url = url
            }
            return .ready
        }
    }

    /// The texts that the users get at once, and the number of requests.
    private func pages(
        of users: [String], _ interceptors: [any RequestInterceptor],
        _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) throws -> (texts: [String], sent: Int) {
        let server = StubTransport(scheduler: scheduler)
        server.route { respond($0).after(.milliseconds(10)) }
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [Coalescing()], interceptors: interceptors)
        let texts = Locked([String](repeating: "", count: users.count))
        let subscriptions = try users.enumerated().map { index, user in
            var request = try Request(.get, "https://a.example/me")
            request.tags[User.self] = User(name: user)
            return client.send(request).subscribe(onSuccess: { response in texts.withLock { $0[index] = response.text }
            })
        }
        scheduler.advanceBy(1000)
        subscriptions.forEach { $0.dispose() }
        return (texts.withLock { $0 }, server.requestCount)
    }

    private static let page = { @Sendable (request: RecordedRequest) in
        ScriptedResponse(body: request.headers[.authorization] ?? "nobody")
    }

    func testAnInterceptorThatChangesTheURLBeforeTheCredentialMixesNoUsers() throws {
        let outcome = try pages(of: ["anna", "bob", "anna"], [Versioned(), Accounts()], Self.page)
        XCTAssertEqual(outcome.texts, ["Bearer anna", "Bearer bob", "Bearer anna"])
        XCTAssertEqual(outcome.sent, 2)
    }

    /// The callers of a shared request followed its redirect with the tags of the first one.
    func testARedirectOfASharedRequestIsFollowedForEachUser() throws {
        let outcome = try pages(of: ["anna", "bob", "anna"], [Accounts()]) { request in
            request.target == "/me"
                ? ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/v2/me"]) : Self.page(request)
        }
        XCTAssertEqual(outcome.texts, ["Bearer anna", "Bearer bob", "Bearer anna"])
        XCTAssertEqual(outcome.sent, 3)
    }
}
