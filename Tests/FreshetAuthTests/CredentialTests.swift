import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class CredentialTests: XCTestCase {
    func testNoDescriptionOrDumpContainsAToken() {
        let credential = Credential(accessToken: "secret-a", refreshToken: "secret-r", expiresAt: 12, generation: 3)
        var dumped = ""
        let record = StoredCredential(
            credential: credential, version: 3, foreignMembers: ["refreshToken": .string("refresh-secret")])
        dump(record, to: &dumped)
        dumped += "\(record) \(String(reflecting: record))"
        dump(credential, to: &dumped)
        var details = CredentialDetails()
        (details.idToken, details.proofKey, details.scope) = ("secret-i", "secret-k", "s3")
        details.extra = ["authed_user": .object(["access_token": .string("secret-x")])]
        dump(details, to: &dumped)
        dumped += "\(details) \(String(reflecting: details))"
        for text in [dumped, "\(credential)", String(reflecting: credential), String(describing: Optional(credential))]
        {
            XCTAssertFalse(text.contains("secret"), text)
            XCTAssertTrue(text.contains("3"), text)
        }
    }

    func testNoDescriptionOrDumpContainsAHeaderOrAFormFieldThatIsSentWithTokens() throws {
        let client = HTTPClient(transport: StubTransport(), scheduler: TestScheduler(initialClock: 0))
        let url = try RequestURL("https://id.example/token")
        let headers: HTTPFields = [.authorization: "secret-h"]
        let placement = CredentialPlacement.authorization(headers: headers)
        var authenticator = try OAuthAuthenticator(
            tokenURL: url, clientSecret: "secret-c", placement: placement, client: client)
        authenticator.headers = headers
        authenticator.fields = [("assertion", "secret-f")]
        var endpoint = try TokenEndpoint(url: url, clientID: "id", clientSecret: "secret-c", client: client)
        (endpoint.headers, endpoint.fields) = (headers, authenticator.fields)
        for value in [placement, authenticator, endpoint] as [Any] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            XCTAssertFalse(text.contains("secret"), text)
            XCTAssertTrue(text.contains("uthorization"), text)
        }
    }

    func testACredentialExpiresAtItsExpiryOrNever() {
        XCTAssertTrue(Credential(accessToken: "a", expiresAt: 10).isExpired(at: 10))
        XCTAssertFalse(Credential(accessToken: "a", expiresAt: 10).isExpired(at: 9.9))
        XCTAssertFalse(Credential(accessToken: "a").isExpired(at: .infinity))
    }

    func testATimeThatNeverComesIsNoExpiryAndCanBeStored() throws {
        for never in [Double.infinity, .nan] {
            var credential = Credential(accessToken: "a", expiresAt: never)
            XCTAssertNil(credential.expiresAt)
            credential.expiresAt = never
            credential.details.refreshExpiresAt = never
            let record = StoredCredential(credential: credential, version: 1)
            XCTAssertEqual(StoredCredential(json: try record.json()), record)
        }
        XCTAssertTrue(Credential(accessToken: "a", expiresAt: -.infinity).isExpired(at: 1))
    }

    func testTheTimeOfIssueDoesNotAffectEquality() {
        let one = Credential(accessToken: "a", refreshToken: "r", expiresAt: 10, generation: 2, issuedAt: 5)
        let other = Credential(accessToken: "a", refreshToken: "r", expiresAt: 10, generation: 2)
        XCTAssertEqual(one, other)
        XCTAssertEqual(Set([one, other]).count, 1)
        for different in [
            Credential(accessToken: "b", refreshToken: "r", expiresAt: 10, generation: 2),
            Credential(accessToken: "a", refreshToken: "s", expiresAt: 10, generation: 2),
            Credential(accessToken: "a", refreshToken: "r", expiresAt: 11, generation: 2),
            Credential(accessToken: "a", refreshToken: "r", expiresAt: 10, generation: 3),
        ] {
            XCTAssertNotEqual(one, different)
        }
    }
}
