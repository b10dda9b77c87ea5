import XCTest

@testable import FreshetAuth

final class CredentialKeyTests: XCTestCase {
    func testEachKeyHasAUniqueName() {
        let keys = [
            CredentialKey(account: ""), CredentialKey(account: "."), CredentialKey(account: ".."),
            CredentialKey(account: "a"), CredentialKey(account: "A"), CredentialKey(account: "a/../b"),
            CredentialKey(account: "a", scopes: ["x"]), CredentialKey(account: "a", scopes: ["x", "y"]),
            CredentialKey(account: "a", scopes: ["x y"]), CredentialKey(account: "a", scopes: [""]),
            CredentialKey(account: "a", audience: ""), CredentialKey(account: "a", audience: "x"),
            CredentialKey(account: "a&scope=x"), CredentialKey(account: "a", scopes: ["x&audience=x"]),
            CredentialKey(account: "a", scopes: ["x"], audience: "x"),
        ]
        XCTAssertEqual(Set(keys).count, keys.count)
        XCTAssertEqual(Set(keys.map(\.name)).count, keys.count)
        for key in keys {
            XCTAssertFalse(key.name.contains("/"), key.name)
            XCTAssertFalse([".", "..", ""].contains(key.name))
        }
    }

    func testTheOrderOfScopesIsIgnored() {
        XCTAssertEqual(
            CredentialKey(account: "a", scopes: ["y", "x"]).name, CredentialKey(account: "a", scopes: ["x", "y"]).name)
        XCTAssertEqual(
            CredentialKey(account: "anna@x", scopes: ["y", "x"], audience: "https://z").name,
            "account=anna%40x&scope=x&scope=y&audience=https%3A%2F%2Fz")
    }
}
