import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// The issues and pull requests in comments are those in which users of other clients reported failures.
final class DPoPTests: XCTestCase {
    private var resources = 0
    private let api = "https://api.example/items?q=1#f"

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAProofNamesMethodURLTimeAndToken() throws {
        let dpop = DPoP(secondsSince1970: { 1000.7 })
        let key = try dpop.newKey()
        var request = Request(method: .post, url: try RequestURL(api))
        try dpop.prove(&request, key: key, accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        let proof = try Proof(request)
        XCTAssertEqual(proof.header["typ"], .string("dpop+jwt"))
        XCTAssertEqual(proof.header["alg"], .string("ES256"))
        XCTAssertEqual(proof.claims["htm"], .string("POST"))
        XCTAssertEqual(proof.claims["htu"], .string("https://api.example/items"))
        XCTAssertEqual(proof.claims["iat"], .number(1000))
        XCTAssertEqual(proof.claims["ath"], .string("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"))
        XCTAssertNil(proof.claims["nonce"])
        guard case .object(let jwk)? = proof.header["jwk"] else { return XCTFail("no key") }
        XCTAssertEqual(jwk.keys.sorted(), ["crv", "kty", "x", "y"], "the public part")
        XCTAssertFalse(request.isResendable)
    }

    /// okta/okta-sdk-golang#554: the retry had the first proof.
    func testEachAttemptHasItsOwnProof() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(status: .serviceUnavailable))
        let response = try bench.get(retrying: true)
        XCTAssertEqual(response.status, .ok)
        let proofs = try bench.api.requests.map { try Proof($0).claims["jti"] }
        XCTAssertEqual(proofs.count, 2)
        XCTAssertNotEqual(proofs[0], proofs[1])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["DPoP a1", "DPoP a1"])
    }

    /// opentdf/java-sdk PR#374: the client did not keep the nonce of a 200 response.
    func testANonceOfAnyResponseIsUsedInTheNextProof() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(headers: [.dpopNonce: "n1"]))
        for _ in 1...2 { _ = try bench.get() }
        XCTAssertEqual(try bench.api.requests.map { try Proof($0).claims["nonce"] }, [nil, .string("n1")])
    }

    func testADemandForANonceRepeatsTheRequestWithoutARefresh() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(bench.nonce("n1"))
        XCTAssertEqual(try bench.get().status, .ok)
        XCTAssertEqual(try bench.api.requests.map { try Proof($0).claims["nonce"] }, [nil, .string("n1")])
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    func testInterceptorsOfSeveralCredentialsPassNoncesOn() throws {
        for isByRealm in [true, false] {
            let bench = try DPoPBench()
            let interceptor = bench.interceptor
            let wrapper: any RequestInterceptor =
                isByRealm
                ? RealmInterceptor([], otherwise: interceptor)
                : AccountInterceptor(defaultKey: CredentialKey(account: "anna")) { _ in interceptor }
            bench.api.enqueue(bench.nonce("n1"))
            XCTAssertEqual(try bench.get(through: wrapper).status, .ok)
            XCTAssertEqual(try bench.api.requests.map { try Proof($0).claims["nonce"] }, [nil, .string("n1")])
        }
    }

    /// The date of a stored response is the time of its creation.
    func testTheDateOfAResponseFromACacheIsNotTheTimeOfTheServer() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(headers: [.date: "Thu, 01 Jan 1970 01:00:00 GMT", .age: "2600"]))
        for _ in 1...2 { _ = try bench.get() }
        XCTAssertEqual(try bench.api.requests.map { try Proof($0).claims["iat"] }, [.number(1000), .number(1000)])
    }

    /// NotASithLord/peerd#301: the client sent requests for ever.
    func testAServerThatDemandsNewNoncesReceivesFourRequests() throws {
        let bench = try DPoPBench()
        for number in 1...9 { bench.api.enqueue(bench.nonce("n\(number)")) }
        XCTAssertEqual(try bench.get().status, .unauthorized)
        XCTAssertEqual(bench.api.requestCount, 4)
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    func testARefreshKeepsTheKeyAndItsProofOmitsTheToken() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.identity.enqueue(bench.tokenNonce)
        bench.identity.enqueue(.json(#"{"access_token":"a2","token_type":"DPoP"}"#))
        XCTAssertEqual(try bench.get().status, .ok)
        let sentProofs = try bench.identity.requests.map { try Proof($0) }
        XCTAssertEqual(sentProofs.map { $0.claims["nonce"] }, [nil, .string("as")])
        XCTAssertEqual(sentProofs.map { $0.claims["ath"] }, [nil, nil])
        XCTAssertNotEqual(sentProofs[0].claims["jti"], sentProofs[1].claims["jti"])
        let sent = try bench.api.requests.map { try Proof($0) }
        XCTAssertEqual(Set((sentProofs + sent).map { $0.header["jwk"] }).count, 1, "one key for the life of the grant")
        XCTAssertEqual(sent.map { $0.claims["nonce"] }, [nil, nil], "each server has its own nonces")
        XCTAssertEqual(bench.api.requests.last?.headers[.authorization], "DPoP a2")
    }

    /// RFC 9449 sections 8 and 9: the authorization server and the resource server issue their own nonces.
    func testATokenEndpointAndAnAPIOfOneOriginHaveTheirOwnNonces() throws {
        let bench = try DPoPBench(tokenURL: "https://api.example/token")
        bench.api.enqueue(bench.nonce("rs"), ScriptedResponse(), ScriptedResponse(status: .unauthorized))
        bench.identity.enqueue(bench.tokenNonce, .json(#"{"access_token":"a2","token_type":"DPoP"}"#))
        for _ in 1...2 { XCTAssertEqual(try bench.get().status, .ok) }
        XCTAssertEqual(try bench.identity.requests.map { try Proof($0).claims["nonce"] }, [nil, .string("as")])
        XCTAssertEqual(
            try bench.api.requests.map { try Proof($0).claims["nonce"] },
            [nil, .string("rs"), .string("rs"), .string("rs")])
    }

    func testThreeDemandsForANonceInARowAreAnErrorThatKeepsTheTokens() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        for _ in 1...4 { bench.identity.enqueue(bench.tokenNonce) }
        XCTAssertThrowsError(try bench.get()) { XCTAssertEqual(($0 as? HTTPClientError)?.code, .refreshFailed) }
        XCTAssertEqual(bench.identity.requestCount, 3)
    }

    /// Each process would begin with the wrong clock and without a nonce, so none of them would ever succeed.
    func testATokenEndpointThatRefusesTheTimeOfAProofFirstAndThenDemandsANonceIsSatisfied() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        var refusal = ScriptedResponse.json(#"{"error":"invalid_dpop_proof"}"#, status: .badRequest)
        refusal.headers[.date] = "Thu, 01 Jan 1970 01:00:00 GMT"
        bench.identity.enqueue(refusal, bench.tokenNonce, .json(#"{"access_token":"a2","token_type":"DPoP"}"#))
        XCTAssertEqual(try bench.get().status, .ok)
        XCTAssertEqual(try bench.identity.requests.map { try Proof($0).claims["nonce"] }, [nil, nil, .string("as")])
    }

    /// RFC 9449 section 5.
    func testARefreshWithProofsAcceptsOnlyATokenThatIsBoundToItsKey() throws {
        for type in [#""Bearer""#, #""""#, "null", "7"] {
            let bench = try DPoPBench()
            bench.api.enqueue(ScriptedResponse(status: .unauthorized))
            bench.identity.enqueue(.json(#"{"access_token":"a2","token_type":\#(type)}"#))
            XCTAssertThrowsError(try bench.get(), type) {
                XCTAssertEqual(($0 as? HTTPClientError)?.code, .refreshFailed)
            }
        }
    }

    /// keycloak/keycloak#48025: Keycloak accepts a proof up to 15 s ahead.
    func testTheTimeOfAProofIsOnTheClockOfTheServer() throws {
        let bench = try DPoPBench()
        bench.api.enqueue(ScriptedResponse(headers: [.date: "Thu, 01 Jan 1970 01:00:00 GMT"]))
        for _ in 1...2 { _ = try bench.get() }
        XCTAssertEqual(try bench.api.requests.map { try Proof($0).claims["iat"] }, [.number(1000), .number(3600)])
    }

    /// danielfett/draft-dpop#67: the first proof of a machine with a wrong clock was refused. keycloak/keycloak PR#52747: a token
    /// endpoint refuses it with another error.
    func testAProofThatWasRefusedOnAWrongClockIsMadeAgainOnTheClockOfTheServer() throws {
        let date = "Thu, 01 Jan 1970 01:00:00 GMT"
        for error in ["invalid_dpop_proof", "invalid_request"] {
            let bench = try DPoPBench()
            let challenge: HTTPFields = [.date: date, .wwwAuthenticate: #"DPoP error="invalid_dpop_proof""#]
            bench.api.enqueue(ScriptedResponse(status: .unauthorized, headers: challenge))
            bench.api.enqueue(ScriptedResponse(status: .unauthorized))
            var refusal = ScriptedResponse.json(#"{"error":"\#(error)"}"#, status: .badRequest)
            refusal.headers[.date] = date
            bench.identity.enqueue(refusal)
            bench.identity.enqueue(.json(#"{"access_token":"a2","token_type":"DPoP"}"#))
            XCTAssertEqual(try bench.get().status, .ok)
            let times = try [bench.identity, bench.api].map { try $0.requests.map { try Proof($0).claims["iat"] } }
            XCTAssertEqual(times[0], [.number(1000), .number(3600)], error)
            XCTAssertEqual(times[1], [.number(1000), .number(3600), .number(3600)])
        }
    }

    func testARequestThatAResourceCallsInvalidIsNotSentAgainAfterTheClockWasLearned() throws {
        let bench = try DPoPBench()
        var refusal = ScriptedResponse.json(#"{"error":"invalid_request"}"#, status: .badRequest)
        refusal.headers[.date] = "Thu, 01 Jan 1970 01:00:00 GMT"
        bench.api.enqueue(refusal)
        XCTAssertEqual(try bench.get().status, .badRequest)
        XCTAssertEqual(bench.api.requestCount, 1)
    }

    func testAProofThatIsRefusedOnTheRightClockIsNotMadeAgain() throws {
        let bench = try DPoPBench()
        for _ in 1...2 {
            bench.api.enqueue(
                ScriptedResponse(
                    status: .unauthorized,
                    headers: [
                        .date: "Thu, 01 Jan 1970 00:16:40 GMT", .wwwAuthenticate: #"DPoP error="invalid_dpop_proof""#,
                    ]))
        }
        XCTAssertEqual(try bench.get().status, .unauthorized)
        XCTAssertEqual(bench.api.requestCount, 1)
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    func testAnInvalidKeyIsAnErrorWithoutTheKey() throws {
        var request = Request(url: try RequestURL(api))
        XCTAssertThrowsError(try DPoP().prove(&request, key: "s3cret", accessToken: nil)) { error in
            XCTAssertFalse("\(error)".contains("s3cret"))
        }
        XCTAssertNil(request.headers[.dpop])
    }
}

/// The parts of a signed token.
struct Proof {
    let header: [String: JSONValue]
    let claims: [String: JSONValue]

    init(_ request: Request) throws {
        try self.init(XCTUnwrap(request.headers[.dpop]))
    }

    init(_ request: RecordedRequest) throws {
        try self.init(XCTUnwrap(request.headers[.dpop]))
    }

    init(_ token: String) throws {
        let parts = token.split(separator: ".")
        XCTAssertEqual(parts.count, 3)
        func object(_ part: Substring) throws -> [String: JSONValue] {
            guard case .object(let members) = try JSONValue(XCTUnwrap(Base64URL.decoded(part))) else { return [:] }
            return members
        }
        header = try object(parts[0])
        claims = try object(parts[1])
        XCTAssertEqual(Base64URL.decoded(parts[2])?.count, 64)
    }
}
