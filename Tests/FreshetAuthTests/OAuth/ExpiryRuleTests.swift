import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class ExpiryRuleTests: XCTestCase {
    private func response(_ status: Int, _ challenges: String..., body: String = "") throws -> Response {
        var head = HTTPResponse(status: .init(code: status))
        for challenge in challenges { head.headerFields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return Response(head: head, body: Array(body.utf8), url: try RequestURL("https://api.example/"))
    }

    // Failure 13: a 401 without WWW-Authenticate caused no refresh.
    func testA401IndicatesExpiryWithAndWithoutAChallenge() throws {
        let signs = ExpiryRule()
        XCTAssertTrue(signs.match(try response(401)))
        XCTAssertTrue(signs.match(try response(401, "Bearer")))
        XCTAssertTrue(signs.match(try response(401, #"Bearer realm="x""#)))
        XCTAssertTrue(signs.match(try response(401, #"Basic realm="x", error="insufficient_scope""#)), "no Bearer")
        XCTAssertTrue(signs.match(try response(401, #"Bearer error="something_else""#)))
        for status in [200, 400, 403, 404, 419, 500] { XCTAssertFalse(signs.match(try response(status)), "\(status)") }
    }

    // Failure 14: the server reported an expired token with 403, 419 or 423.
    func testAnotherStatusCanIndicateExpiry() throws {
        for status in [403, 419, 423] {
            XCTAssertTrue(ExpiryRule(statuses: [401, status]).match(try response(status)))
            XCTAssertFalse(ExpiryRule(statuses: [status]).match(try response(401)))
        }
    }

    func testAChallengeWithAnErrorTakesPrecedenceOverTheStatus() throws {
        let signs = ExpiryRule(statuses: [401, 403])
        XCTAssertFalse(signs.match(try response(403, #"Bearer error="insufficient_scope", scope="admin""#)))
        XCTAssertFalse(signs.match(try response(401, #"Bearer error="invalid_request""#)))
        XCTAssertFalse(signs.match(try response(401, "Negotiate", "Basic realm=x, BEARER error=insufficient_scope")))
        XCTAssertTrue(signs.match(try response(403)))
        XCTAssertTrue(ExpiryRule().match(try response(403, #"Bearer error="invalid_token""#)), "whatever is listed")
        XCTAssertTrue(ExpiryRule(statuses: []).match(try response(401, "Bearer error=invalid_token")))
        XCTAssertTrue(
            signs.match(try response(401, #"Bearer realm=a, error=insufficient_scope"#, #"Bearer error=invalid_token"#))
        )
        XCTAssertFalse(signs.match(try response(200, #"Bearer error="invalid_token""#)), "no refusal")
        var silent = signs
        silent.readsChallenges = false
        XCTAssertTrue(silent.match(try response(403, #"Bearer error="invalid_request""#)))
    }

    // Failure 14: only the body said that the token had expired.
    /// A refresh returns the same scopes and the same login (typescript-sdk#2255, JanssenProject/jans#6015). A DPoP nonce asks
    /// the client to send the same request once more.
    func testAResponseThatNoRefreshCanFixDoesNotIndicateExpiry() throws {
        for reads in [true, false] {
            var signs = ExpiryRule(statuses: [400, 401, 403])
            signs.readsChallenges = reads
            for challenge in [
                #"DPoP error="use_dpop_nonce", algs="ES256""#, #"DPoP error="invalid_dpop_proof""#,
                #"Bearer error="insufficient_user_authentication", acr_values="mfa", max_age=5"#,
                #"Bearer error="insufficient_scope", scope="admin""#, #"DPoP error="insufficient_scope""#,
            ] {
                for status in [400, 401, 403] {
                    XCTAssertFalse(signs.match(try response(status, challenge)), challenge)
                }
            }
            XCTAssertTrue(signs.match(try response(401, #"DPoP error="invalid_token""#)))
        }
    }

    func testAValueInTheBodyIndicatesExpiryWhateverTheChallenge() throws {
        let signs = ExpiryRule(statuses: [], body: .init(pointer: try JSONPointer("/code"), equals: ["E05", "7"]))
        for body in [#"{"code":"E05"}"#, #"{"code":7}"#, #"{"code":"7"}"#] {
            XCTAssertTrue(signs.match(try response(403, "Bearer error=insufficient_scope", body: body)))
            XCTAssertTrue(signs.match(try response(500, body: body)))
            XCTAssertFalse(signs.match(try response(200, body: body)))
        }
        for body in [#"{"code":"E06"}"#, #"{"code":[7]}"#, #"{"code"#, ""] {
            XCTAssertFalse(signs.match(try response(400, body: body)))
        }
    }

    func testAClosureReceivesStatusFieldsAndBody() throws {
        let signs = ExpiryRule(statuses: []) { response in
            response.status.code == 440 && response.headers[.wwwAuthenticate] == "Own" && response.text == "over"
        }
        XCTAssertTrue(signs.match(try response(440, "Own", body: "over")))
        XCTAssertFalse(signs.match(try response(440, "Own", body: "fine")))
        XCTAssertFalse(signs.match(try response(440, body: "over")))
    }
}
