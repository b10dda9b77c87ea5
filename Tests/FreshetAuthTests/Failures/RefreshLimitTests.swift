import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that replays and refreshes end, and that the gate forgets old refreshes.
final class RefreshLimitTests: FailureTestCase {
    /// A server that issues new tokens at each refresh and refuses every token that it has issued.
    private func refusing(after delay: Duration = .zero, code: Int = 401) -> StrictServer {
        server { rules in
            rules.resource = { _ in ScriptedResponse(status: .init(code: code), body: "no").after(delay) }
        }
    }

    // OkHttp 3984, 2732, Alamofire 3029, 3230: the client refreshed and replayed for ever, or until "too many follow-up
    // requests: 21".
    func testAServerThatAlwaysRefusesReceivesThreeRequests() throws {
        let server = refusing()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        let error = error(of: app.get())
        XCTAssertEqual(error?.code, .refreshStorm)
        XCTAssertEqual(error?.response?.text, "no")
        XCTAssertEqual(server.api.requestCount, 3)
        XCTAssertEqual(server.counts, .init(refreshes: 2))
    }

    // Alamofire's code: with a cycle of more than six seconds the limit of its window is never reached, and nothing else ends
    // the cycle.
    func testASlowServerThatAlwaysRefusesReceivesThreeRequests() throws {
        let server = refusing(after: .seconds(10))
        var configuration = HTTPClient.Configuration()
        configuration.timeout = nil
        let app = try App(at: server, store: MemoryStore(server.signIn()), configuration: configuration)
        XCTAssertEqual(error(of: app.get())?.code, .refreshStorm)
        XCTAssertEqual(server.api.requestCount, 3)
    }

    // Alamofire's code: a request on which the applied credential is never recognised is retried without end.
    func testARequestWithoutARecognisableCredentialIsNotRetried() throws {
        let server = server()
        let authenticator = Unrecognising(wrapped: try server.authenticator())
        let app = try App(at: server, store: MemoryStore(server.signIn()), authenticator: authenticator)
        server.expire()
        XCTAssertEqual(try result(of: app.get()).status, .unauthorized)
        XCTAssertEqual(server.api.requestCount, 1)
        XCTAssertEqual(server.counts, .init())
    }

    // No refresh helps for long here: each request finds its token expired again, and asks for one refresh.
    func testTheSixthRefreshInThirtySecondsIsSkippedAndALaterOneIsSent() throws {
        let server = server { $0.refreshDelay = .zero }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for _ in 0..<5 {
            server.expire()
            XCTAssertEqual(try result(of: app.get()).text, "in")
        }
        server.expire()
        XCTAssertEqual(error(of: app.get())?.code, .refreshStorm)
        XCTAssertEqual(server.counts, .init(refreshes: 5))
        pass(31)
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    func testAnEndpointThatAlwaysRefusesFailsNoRequestToTheOthers() throws {
        let server = server { rules in
            rules.refreshDelay = .zero
            rules.resource = {
                $0.path == "/bad" ? ScriptedResponse(status: .unauthorized) : ScriptedResponse(body: "in")
            }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for _ in 0..<60 {
            XCTAssertEqual(error(of: app.get("/bad"))?.code, .refreshStorm)
            for _ in 0..<2 {
                XCTAssertEqual(try result(of: app.get("/good")).text, "in")
                pass(1)
            }
        }
        XCTAssertLessThanOrEqual(server.counts.refreshes, 25)
    }

    // A program may send a POST again whose error says that nothing was sent.
    func testARequestThatGotNoCredentialCountsAsUnsent() throws {
        let server = server()
        let empty = try App(at: server, store: MemoryStore())
        XCTAssertEqual(error(of: empty.get())?.code, .loginRequired)
        XCTAssertEqual(error(of: empty.get())?.isUnsent, true)
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        pass(3600)
        server.identity.enqueue(.init(status: .serviceUnavailable))
        let failed = error(of: app.get())
        XCTAssertEqual(failed?.code, .refreshFailed)
        XCTAssertEqual(failed?.isUnsent, true)
        XCTAssertEqual(server.api.requestCount, 0)
    }

    // smithy-rs 2687: the client used expired credentials for 10 to 15 minutes more because the refresh failed.
    func testAnExpiredCredentialIsNotUsedAfterAFailedRefresh() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        pass(3600)
        for _ in 0..<3 {
            server.identity.enqueue(.init(status: .serviceUnavailable))
            XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        }
        XCTAssertEqual(server.api.requestCount, 1)
    }
}

/// Never recognises the credential that it has put on a request.
private struct Unrecognising: Authenticator {
    let wrapped: OAuthAuthenticator

    func apply(_ credential: Credential, to request: Request) -> Request { wrapped.apply(credential, to: request) }
    func refresh(_ credential: Credential?) -> Single<Credential> { wrapped.refresh(credential) }
    func isExpired(_ response: Response) -> Bool { wrapped.isExpired(response) }
    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool { false }
}
