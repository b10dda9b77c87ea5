import Foundation
import FreshetHTTPTesting
import StoreKinds
import XCTest

/// Tests that a login into a credential helper ends with the old session or with the new one, and never without any.
final class HelperLoginTests: SignInTestCase {
    /// Logs in twice. Between the two, the helper begins to behave as `fault` says.
    ///
    /// - Parameters:
    ///   - fault: commands for the beginning of the helper's script, where `$1` is the verb.
    ///   - tokens: what the second login reads instead of the tokens of a flow.
    /// - Returns: the result of the second login, the stored access token and the revoked tokens.
    private func loginAgain(
        _ fault: String, tokens: String? = nil
    ) throws -> (result: FreshetResult, stored: String, revoked: [String]) {
        let script = """
            if test -f "$0.fault"; then
            \(fault)
            fi
            case $1 in
            store) cat > "$0.secret" ;;
            get) cat > /dev/null; test -f "$0.secret" && exec cat "$0.secret"
                echo "credentials not found in native keychain"; exit 1 ;;
            esac
            """
        let helper = try TestHelper(script)
        defer { helper.remove() }
        var environment = try browser("curl -s -L -o /dev/null \"$1\"")
        environment["PATH"] = "\(helper.folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        environment["XDG_STATE_HOME"] = try temporaryDirectory().path
        let store = "helper:docker-credential-\(helper.name)"
        XCTAssertEqual(try login(["--browser"], store: store, environment: environment).status, 0)
        let path = helper.secret.dropLast(".secret".count)
        XCTAssertTrue(FileManager.default.createFile(atPath: "\(path).fault", contents: nil))
        let result =
            if let tokens {
                try freshet(
                    ["login", "--config", config(store), "--profile", "p", "--access-token", "-"], input: tokens,
                    environment: environment)
            } else { try login(["--browser"], store: store, environment: environment) }
        let stored = try String(contentsOfFile: helper.secret, encoding: .utf8)
        let revoked = server.requests.filter { $0.path == "/revoke" }.compactMap { Self.form($0.text)["token"] }
        return (result, stored, revoked)
    }

    private func accessTokens() -> [String] {
        server.requests.filter { $0.path == "/token" }.map { "s3cret-a\($0.number)" }
    }

    func testARecordThatCanNotBeReadBackIsKeptAndItsTokensAreNotRevoked() throws {
        let (result, stored, revoked) = try loginAgain(
            #"""
            test $1 = get -a -f "$0.stored" && { cat > /dev/null; echo locked; exit 1; }
            test $1 = store && touch "$0.stored"
            """#)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let tokens = accessTokens()
        XCTAssertTrue(stored.contains(tokens[1]), "the helper has another record")
        XCTAssertFalse(revoked.contains(tokens[1]), "the tokens that are stored are revoked")
    }

    func testATruncatedRecordLeavesTheOldSession() throws {
        let (result, stored, revoked) = try loginAgain(
            #"""
            test $1 = store && test ! -f "$0.stored" && {
                cat > /dev/null; touch "$0.stored"
                echo '{"ServerURL": "s", "Secret": "{\"access_tok"}' > "$0.secret"; exit 0; }
            """#)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.contains("has not kept the whole record; use another store"), result.errorOutput)
        let tokens = accessTokens()
        XCTAssertTrue(stored.contains(tokens[0]), "the old session is lost")
        XCTAssertTrue(revoked.contains(tokens[1]))
        XCTAssertFalse(revoked.contains(tokens[0]), "the old session is revoked")
    }

    func testTokensThatAreStoredInSpiteOfAnErrorAreNotRevoked() throws {
        let (result, stored, revoked) = try loginAgain(
            #"""
            test $1 = store && { cat > "$0.secret"; exit 3; }
            """#)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("note: the credential is stored, although"), result.errorOutput)
        let tokens = accessTokens()
        XCTAssertTrue(stored.contains(tokens[1]), "the helper has another record")
        XCTAssertFalse(revoked.contains(tokens[1]), "the tokens that are stored are revoked")
        XCTAssertTrue(revoked.contains(tokens[0]), "the replaced session stays")
    }

    func testGivenTokensThatAreStoredInSpiteOfAnErrorAreASuccess() throws {
        let (result, stored, _) = try loginAgain(
            #"""
            test $1 = store && { cat > "$0.secret"; exit 3; }
            """#, tokens: "s3cret-given\n")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("note: the credential is stored, although"), result.errorOutput)
        XCTAssertTrue(stored.contains("s3cret-given"), "the helper has another record")
    }

    func testTokensOfWhichNobodyKnowsWhetherTheyAreStoredAreNotRevoked() throws {
        let (result, stored, revoked) = try loginAgain(
            #"""
            test $1 = get -a -f "$0.stored" && { cat > /dev/null; echo locked; exit 1; }
            test $1 = store && { cat > "$0.secret"; touch "$0.stored"; exit 3; }
            """#)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("note: the new tokens are not revoked"), result.errorOutput)
        XCTAssertTrue(stored.contains(accessTokens()[1]), "the helper has another record")
        XCTAssertEqual(revoked, [])
    }
}
