import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class AuthenticatorTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func profile(_ client: HTTPClient) throws -> ProfileAuthenticator {
        try ProfileAuthenticator(
            endpoint: .init(
                url: try RequestURL("https://id.example/reissue"), method: .put,
                headers: [.init("X-Refresh")!: "{refresh_token}"],
                json: .object(["refreshToken": .string("{refresh_token}"), "device": .number(7)]),
                accessToken: try JSONPointer("/data/accessToken"), refreshToken: try JSONPointer("/data/refreshToken"),
                expiresIn: try JSONPointer("/data/expiresIn")),
            client: client, secondsSince1970: { 1000 })
    }

    func testAProfileDefinesTheRefreshRequestAndTheLocationOfTheTokens() throws {
        let bench = try ClientBench(authenticator: profile)
        bench.revoke()
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(.json(#"{"data":{"accessToken":"a2","expiresIn":"60"}}"#))
        bench.isRevoked.withLock { $0 = false }
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        let request = try XCTUnwrap(bench.identity.requests.first)
        XCTAssertEqual(request.method, .put)
        XCTAssertEqual(request.text, #"{"device":7,"refreshToken":"r1"}"#)
        XCTAssertEqual(request.headers[.init("X-Refresh")!], "r1")
        XCTAssertEqual(request.headers[.contentType], "application/json")
        let credential = try bench.result(bench.store.load())?.get().credential
        XCTAssertEqual(
            credential, Credential(accessToken: "a2", refreshToken: "r1", expiresAt: 1060, generation: 2))
    }

    // Some servers send an empty string to say that the refresh token has not changed.
    func testAnEmptyRefreshTokenInTheResponseKeepsTheOldOne() throws {
        let bench = try ClientBench()
        bench.revoke()
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(.json(#"{"access_token":"a2","refresh_token":""}"#))
        bench.isRevoked.withLock { $0 = false }
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(try bench.result(bench.store.load())?.get().credential?.refreshToken, "r1")
    }

    // A 401 response of the reissue endpoint itself never starts a loop.
    func testARefreshEndpointThatRespondsWithTheExpiryStatusRefuses() throws {
        for status in [400, 401, 403, 419] {
            let bench = try ClientBench(
                refusing: .init(code: 419), signs: ExpiryRule(statuses: [419]))
            bench.revoke()
            bench.identity.enqueue(ScriptedResponse(status: .init(code: status)))
            XCTAssertEqual(bench.failure(bench.get())?.code, .loginRequired, "\(status)")
            XCTAssertEqual(bench.identity.requestCount, 1)
            XCTAssertEqual(bench.announced.withLock { $0 }, [.refused])
        }
    }

    func testClientCredentialsRequireNoLogin() throws {
        let bench = try ClientBench(
            store: MemoryStore(),
            authenticator: { client in
                try OAuthAuthenticator(
                    tokenURL: RequestURL("https://id.example/token"), grant: .clientCredentials, clientID: "cli",
                    client: client, secondsSince1970: { 1000 })
            })
        bench.identity.enqueue(ScriptedResponse(status: .unauthorized))
        let failure = bench.failure(bench.get())
        XCTAssertEqual(failure?.code, .loginRequired)
        XCTAssertEqual(failure?.recoverySuggestion, "check the client's id and secret", "nobody can log in")
        bench.identity.enqueue(.json(#"{"access_token":"a1","expires_in":3600}"#))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello", "the next request tries again")
        XCTAssertEqual(
            bench.identity.requests.map(\.text),
            Array(
                repeating: "grant_type=client_credentials&client_id=cli", count: 2))
    }

    func testAnAuthenticatorCanBeAClosure() throws {
        let bench = try ClientBench(authenticator: { client in
            ClosureAuthenticator { _ in
                client.get("https://id.example/again").validate().map { Credential(accessToken: $0.text) }
            }
        })
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(ScriptedResponse(body: "a2"))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        bench.newest.withLock { $0 = 3 }
        bench.identity.enqueue(ScriptedResponse(status: .forbidden))
        XCTAssertEqual(bench.failure(bench.get())?.code, .loginRequired, "the status of the error counts")
    }

    // Failure 25: the server's clock shows another year.
    func testTheLifetimeOfATokenDoesNotDependOnTheClockOfTheServer() throws {
        for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 2099 23:59:59 GMT"] {
            let bench = try ClientBench()
            bench.revoke()
            bench.newest.withLock { $0 = 2 }
            var response = ScriptedResponse.json(#"{"access_token":"a2","expires_in":3600}"#)
            response.headers[.date] = date
            bench.identity.enqueue(response)
            bench.isRevoked.withLock { $0 = false }
            XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
            let stored = try XCTUnwrap(bench.result(bench.store.load())?.get().credential)
            XCTAssertEqual(try XCTUnwrap(stored.expiresAt), 4600, accuracy: 1, date)
            XCTAssertNil(stored.issuedAt)
        }
    }

    func testUsesOfTheGateFollowTheExpiryRuleOfItsAuthenticator() throws {
        for (status, isRefreshed) in [(419, true), (401, false)] {
            let bench = try ClientBench(signs: ExpiryRule(statuses: [419]))
            let calls = Locked<[String]>([])
            let use = bench.gate.withCredential { credential -> Single<String> in
                calls.withLock { $0.append(credential.accessToken) }
                var response = Response(head: HTTPResponse(status: .ok), url: try RequestURL("https://api.example/"))
                if credential.accessToken == "a1" { response.head.status = .init(code: status) }
                return Single.just(response).validate().map { _ in credential.accessToken }
            }
            let result = bench.result(use.asSingle())
            XCTAssertEqual(try? result?.get(), isRefreshed ? "a2" : nil)
            XCTAssertEqual(calls.withLock { $0 }, isRefreshed ? ["a1", "a2"] : ["a1"])
        }
    }

    func testACustomAuthenticatorRefreshesAndReplays() throws {
        let bench = try ClientBench(authenticator: { Reissue(client: $0) })
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(ScriptedResponse(body: "a2"))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a2"])
        XCTAssertEqual(bench.identity.requests.map(\.text), ["r1"])
        let mine = try bench.result(bench.get(headers: [.authorization: "Key abc"]))?.get()
        XCTAssertEqual(mine?.status, .unauthorized, "left alone")
    }
}

/// The least that an authenticator for a server with an endpoint of its own has to implement.
private struct Reissue: Authenticator {
    let client: HTTPClient

    func refresh(_ credential: Credential?) -> Single<Credential> {
        client.post("https://id.example/reissue", body: .text(credential?.refreshToken ?? "")).validate()
            .map { Credential(accessToken: $0.text) }
    }
}
