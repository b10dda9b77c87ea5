import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// Servers reject an assertion whose `jti` they have received before. Source: RFC 7523 section 3.
final class PrivateKeyJWTTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func authentication() throws -> ClientAuthentication {
        .privateKeyJWT(key: try SigningKey.generateP256(), clientID: "cli", audience: .text("https://id.example"))
    }

    /// A demand for a nonce, and then a token.
    private func benchWithDemand() -> LoginBench {
        var demand = ScriptedResponse.json(#"{"error":"use_dpop_nonce"}"#, status: .badRequest)
        demand.headers[.dpopNonce] = "n1"
        let bench = LoginBench()
        bench.script(demand, .json(#"{"access_token":"a2","token_type":"DPoP"}"#))
        return bench
    }

    /// The `jti` of the proof and of the assertion in `name` of each request.
    private func identifiers(at bench: LoginBench, in name: String = "client_assertion") throws -> [[JSONValue?]] {
        try bench.server.requests.map { request in
            let field = request.text.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            let assertion = try XCTUnwrap(field).dropFirst(name.count + 1)
            return [try Proof(request).claims["jti"], try Proof(String(assertion)).claims["jti"]]
        }
    }

    func testATokenRequestThatIsSentAgainWithANonceHasANewAssertion() throws {
        let (bench, dpop) = (benchWithDemand(), DPoP())
        var endpoint = try TokenEndpoint(
            url: RequestURL("https://id.example/token"), clientID: "cli", clientAuthentication: authentication(),
            client: bench.client)
        endpoint.proofOfPossession = dpop
        let subscription = endpoint.send([("grant_type", "authorization_code")], key: try dpop.newKey()).subscribe()
        bench.scheduler.start()
        subscription.dispose()
        let sent = try identifiers(at: bench)
        XCTAssertEqual(sent.count, 2)
        XCTAssertEqual(Set(sent.joined()).count, 4)
    }

    func testARefreshThatIsSentAgainWithANonceHasANewAssertion() throws {
        let (bench, dpop) = (benchWithDemand(), DPoP())
        var authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "cli", clientAuthentication: authentication(),
            placement: .authorization(scheme: "DPoP"), client: bench.client)
        authenticator.proofOfPossession = dpop
        var credential = Credential(accessToken: "a1", refreshToken: "r1")
        credential.details.proofKey = try dpop.newKey()
        let subscription = authenticator.refresh(credential).subscribe()
        bench.scheduler.start()
        subscription.dispose()
        let sent = try identifiers(at: bench)
        XCTAssertEqual(sent.count, 2)
        XCTAssertEqual(Set(sent.joined()).count, 4)
    }

    func testAGrantThatIsSentAgainWithANonceHasANewAssertion() throws {
        let (bench, dpop) = (benchWithDemand(), DPoP())
        let grant = OAuthGrant.jwtBearer(
            signedBy: try SigningKey.generateP256(), issuer: "svc", subject: "account",
            audience: .text("https://id.example"))
        var authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), grant: grant, clientID: "cli",
            placement: .authorization(scheme: "DPoP"), client: bench.client)
        authenticator.proofOfPossession = dpop
        let subscription = authenticator.refresh(nil).subscribe()
        bench.scheduler.start()
        subscription.dispose()
        let sent = try identifiers(at: bench, in: "assertion")
        XCTAssertEqual(sent.count, 2)
        XCTAssertEqual(Set(sent.joined()).count, 4)
    }
}
