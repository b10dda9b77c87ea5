import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which names a recording takes for those of secrets.
final class SecretNamesTests: XCTestCase {
    private let mask = SecretMask([:], "https://api.example/", nil, FurtherSecrets())

    private func field(_ name: String) throws -> String? {
        let name = try XCTUnwrap(HTTPField.Name(name))
        return mask.headers([name: "s3"]).first?.value
    }

    func testFieldsWithTheEndingsOfSecretsAreMasked() throws {
        let names = [
            "X-Goog-Iam-Authorization-Token", "X-Parse-Master-Key", "X-Honeycomb-Team", "X-JFrog-Art-Api",
            "X-Acme-Auth", "X-Hub-Signature-256", "Stripe-Signature", "X-Chef-Key", "Ocp-Apim-Subscription-Key",
            "X-Telegram-Bot-Api-Secret-Token",
        ]
        for name in names { XCTAssertEqual(try field(name), "REDACTED", name) }
        let harmless = [
            "Idempotency-Key", "Surrogate-Key", "X-Cache-Key", "Sec-WebSocket-Key", "Sec-WebSocket-Accept",
            "X-Next-Page-Token", "X-Continuation-Token", "Next-Token", "X-Sync-Token", "X-Request-Id", "Author",
            "x-ms-continuation-NextPartitionKey", "x-ms-continuation-NextRowKey", "xkey",
        ]
        for name in harmless { XCTAssertEqual(try field(name), "s3", name) }
    }

    func testFurtherNamesOfSecretsAreMaskedInJSONAndForms() {
        let names = [
            "bearer", "accountKey", "connection_string", "encryption_key", "signing_key", "security_token",
            "reset_token", "mfa_token", "github_token", "PHPSESSID", "ticket", "SAMLResponse", "subscription-key",
            "secret_token",
            "user_token", "pass", "tokens", "credentials",
        ]
        for name in names {
            XCTAssertEqual(mask.body(#"{"\#(name)":"s3"}"#, type: ""), #"{"\#(name)":"REDACTED"}"#)
            let form = mask.body("\(name)=s3&a=1", type: "application/x-www-form-urlencoded")
            XCTAssertEqual(form, "\(name)=REDACTED&a=1")
        }
        let lists = #"{"tokens":["s3"],"credentials":["s3"]}"#
        XCTAssertEqual(mask.body(lists, type: ""), lists.replacing("s3", with: "REDACTED"))
        let clear =
            #"{"tokens":12,"credentials":{"type":"longer-than-8"},"ticket":{"text":"longer-than-8"},"pass":3}"#
        XCTAssertEqual(mask.body(clear, type: ""), clear)
    }

    /// Such a code is that of an error or of a currency. That of a request can be one to log in with.
    func testACodeOfAResponseThatIsAWordStaysClear() {
        XCTAssertEqual(mask.body(#"{"code":"WDJB-MJHT"}"#, type: ""), #"{"code":"REDACTED"}"#)
        var mask = mask
        mask.learn([:])
        let words = [
            "email_taken", "EUR", "notFound", "NotFound", "INVALID_ARGUMENT", "auth/invalid-email", "not found",
        ]
        for word in words {
            let body = #"{"code":"\#(word)","errors":[{"code":"\#(word)"}]}"#
            XCTAssertEqual(mask.body(body, type: ""), body)
        }
        let secrets = ["4711-0815", "E05", "SplxlOBeZQQYbYS6WxSbIA", "aBcDeFgHiJ", String(repeating: "a", count: 41)]
        for secret in secrets {
            XCTAssertEqual(mask.body(#"{"code":"\#(secret)"}"#, type: ""), #"{"code":"REDACTED"}"#)
        }
    }
}
