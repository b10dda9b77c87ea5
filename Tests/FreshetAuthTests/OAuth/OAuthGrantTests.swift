import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class OAuthGrantTests: XCTestCase {
    private var resources = 0
    private let granted = ScriptedResponse.json(#"{"access_token":"a2"}"#)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func fields(_ bench: OAuthBench) -> [String] {
        bench.server.requests.map(\.text).last?.split(separator: "&").map(String.init) ?? []
    }

    func testAnAssertionIsCreatedForEachRequest() throws {
        let bench = OAuthBench()
        let count = Locked(0)
        let grant = OAuthGrant.jwtBearer { endpoint in
            .deferred {
                let number = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                return .just("\(endpoint.host).\(number)")
            }
        }
        let authenticator = try bench.authenticator(grant: grant)
        for number in 1...2 {
            _ = try bench.refresh(granted, by: authenticator)
            XCTAssertEqual(
                fields(bench),
                [
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
                    "assertion=id.example.\(number)",
                    "client_id=cli",
                ])
        }
        XCTAssertFalse(authenticator.needsLogin)
    }

    /// Azure/azure-sdk-for-rust#1739: the client read the pod's token only once.
    func testAnAssertionInAFileIsReadForEachRequest() throws {
        let bench = OAuthBench()
        let path = NSTemporaryDirectory() + "assertion-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let authenticator = try bench.authenticator(grant: .jwtBearer(fromFile: path, on: bench.scheduler))
        for text in ["one", " two\n"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            _ = try bench.refresh(granted, by: authenticator)
            XCTAssertTrue(fields(bench).contains("assertion=\(text.trimmingCharacters(in: .whitespacesAndNewlines))"))
        }
        try FileManager.default.removeItem(atPath: path)
        let count = bench.server.requestCount
        guard case .failure? = try bench.refresh(granted, by: authenticator) else { return XCTFail("sent without") }
        XCTAssertEqual(bench.server.requestCount, count)
    }

    func testAnExchangeNamesBothTokensWithTheirTypes() throws {
        let bench = OAuthBench()
        let grant = OAuthGrant.tokenExchange(
            requestedType: .accessToken, actor: { .just(ExchangedToken("act", .jwt)) },
            subject: { .just(ExchangedToken("sub", .idToken)) })
        let authenticator = try bench.authenticator(grant: grant) { $0.fields = [("audience", "api")] }
        let response = ScriptedResponse.json(
            #"{"access_token":"a2","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer"}"#
        )
        XCTAssertEqual(try bench.refresh(response, by: authenticator)?.get().accessToken, "a2")
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3A"
        XCTAssertEqual(
            fields(bench),
            [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "subject_token=sub",
                "subject_token_type=\(type)id_token", "actor_token=act", "actor_token_type=\(type)jwt",
                "requested_token_type=\(type)access_token", "audience=api", "client_id=cli",
            ])
        XCTAssertFalse("\(ExchangedToken("s3cret", .jwt))".contains("s3cret"))
    }

    /// RFC 8693 section 2.2.1: `N_A` is the type of an issued token that is no access token.
    func testAnExchangeForAnotherTokenThanAnAccessTokenAcceptsOneWithoutAType() throws {
        for (kind, isRight) in [
            (.idToken, true), (.jwt, true), (.saml2, true), (.accessToken, false), (nil, false),
        ] as [(ExchangedToken.Kind?, Bool)] {
            for type in ["N_A", "n_a"] {
                let bench = OAuthBench()
                let authenticator = try bench.authenticator(
                    grant: .tokenExchange(requestedType: kind) { .just(ExchangedToken("sub", .idToken)) })
                let response = ScriptedResponse.json(#"{"access_token":"a2","token_type":"\#(type)"}"#)
                XCTAssertEqual(try bench.isRefused(response, by: authenticator), isRight ? nil : false, type)
                let mac = ScriptedResponse.json(#"{"access_token":"a2","token_type":"mac"}"#)
                XCTAssertEqual(try bench.isRefused(mac, by: authenticator), false)
            }
        }
        XCTAssertEqual(try OAuthBench().isRefused(.json(#"{"access_token":"a2","token_type":"N_A"}"#)), false)
    }

    func testARefreshWithoutARefreshTokenIsRefusedUnsent() throws {
        let bench = OAuthBench()
        let gate = RefreshGate(
            store: MemoryStore(), authenticator: try bench.authenticator(), scheduler: bench.scheduler)
        guard case .failure(let error)? = bench.result(try bench.authenticator().refresh(Credential(accessToken: "a1")))
        else { return XCTFail("no failure") }
        XCTAssertTrue(gate.settings.isRefusal(error), "\(error)")
        XCTAssertEqual(bench.server.requestCount, 0)
    }

    /// RFC 8693 section 2.2.2: the error is final for this subject token, not for the session.
    func testARefusedSubjectTokenEndsNoSession() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(
            grant: .tokenExchange { .just(ExchangedToken("sub", .accessToken)) })
        let gate = RefreshGate(store: MemoryStore(), authenticator: authenticator, scheduler: bench.scheduler)
        bench.server.enqueue(.json(#"{"error":"invalid_request"}"#, status: .badRequest))
        bench.server.enqueue(granted)
        guard case .failure(let error)? = bench.result(gate.credential()) else { return XCTFail("no failure") }
        XCTAssertEqual((error as? HTTPClientError)?.code, .refreshFailed)
        XCTAssertEqual(try bench.result(gate.credential())?.get().accessToken, "a2")
    }

    /// The user of the subject token logs in, and the exchange must work at once.
    func testASubjectWithoutATokenIsNoFailureOfTheEndpoint() throws {
        let bench = OAuthBench()
        let subject = RefreshGate(
            store: MemoryStore(), authenticator: try bench.authenticator(), scheduler: bench.scheduler)
        let exchange = OAuthGrant.tokenExchange {
            subject.credential().map { ExchangedToken($0.accessToken, .accessToken) }
        }
        let gate = RefreshGate(
            store: MemoryStore(), authenticator: try bench.authenticator(grant: exchange), scheduler: bench.scheduler)
        for _ in 1...8 {
            guard case .failure(let error)? = bench.result(gate.credential()) else { return XCTFail("no failure") }
            XCTAssertTrue("\(error)".contains("no credential is stored"), "\(error)")
        }
        for _ in 1...8 {
            _ = bench.result(subject.login(pair(1, expiresAt: 1)))
            bench.server.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest))
            guard case .failure(let error)? = bench.result(gate.credential()) else { return XCTFail("no failure") }
            XCTAssertTrue("\(error)".contains("the refresh was refused"), "\(error)")
        }
        _ = bench.result(subject.login(pair(1)))
        bench.server.enqueue(granted)
        XCTAssertEqual(try bench.result(gate.credential())?.get().accessToken, "a2")
    }

    /// The gate of the subject rests by itself, and the exchange must work once that has ended.
    func testASubjectThatCannotBeRefreshedNowIsNoFailureOfTheEndpoint() throws {
        let bench = OAuthBench()
        let subject = RefreshGate(store: MemoryStore(pair(1, expiresAt: 1)), scheduler: bench.scheduler) { _ in
            .error(HTTPClientError(.timeout, phase: .waiting, message: "no response"))
        }
        let exchange = OAuthGrant.tokenExchange {
            subject.credential().map { ExchangedToken($0.accessToken, .accessToken) }
        }
        let gate = RefreshGate(
            store: MemoryStore(), authenticator: try bench.authenticator(grant: exchange), scheduler: bench.scheduler)
        for _ in 1...8 {
            guard case .failure(let error)? = bench.result(gate.credential()) else { return XCTFail("no failure") }
            XCTAssertEqual((error as? HTTPClientError)?.code, .refreshFailed)
        }
        _ = bench.result(subject.login(pair(3)))
        bench.server.enqueue(granted)
        XCTAssertEqual(try bench.result(gate.credential())?.get().accessToken, "a2")
    }

    func testASubjectWhoseStoreFailsIsNoFailureOfTheEndpoint() throws {
        let bench = OAuthBench()
        let isAway = Locked(true)
        let exchange = OAuthGrant.tokenExchange {
            isAway.withLock { $0 }
                ? .error(HTTPClientError(.store, phase: .storing, message: "the disk is away"))
                : .just(ExchangedToken("sub", .idToken))
        }
        let gate = RefreshGate(
            store: MemoryStore(), authenticator: try bench.authenticator(grant: exchange), scheduler: bench.scheduler)
        for _ in 1...8 { XCTAssertThrowsError(try bench.result(gate.credential())?.get()) }
        isAway.withLock { $0 = false }
        bench.server.enqueue(granted)
        XCTAssertEqual(try bench.result(gate.credential())?.get().accessToken, "a2")
    }
}
