import Foundation
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests logins of the command at an authorization server, with a script as the browser.
final class SignInTests: SignInTestCase {
    func testALoginByBrowserStoresAllDetailsOfTheTokenResponse() throws {
        let environment = try browser(#"curl -s -L -o /dev/null "$1""#)
        let result = try login("--browser", environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("\(url)/authorize?"), result.errorOutput)
        let last = try XCTUnwrap(result.objects.last)
        XCTAssertEqual(last["state"] as? String, "expiring")
        XCTAssertEqual(last["scope"] as? String, "a b")
        XCTAssertNotNil(last["refresh_expires_at"] as? Double)
        let record = try stored()
        XCTAssertEqual(record["issuer"] as? String, url)
        XCTAssertEqual((record["extra"] as? [String: Any])?["tenant"] as? String, "t")
        XCTAssertNotNil(record["login_id"])
    }

    /// These requests end the logins of other clients: a favicon, a preconnection, a forged error, a HEAD.
    func testStrayRequestsDoNotEndTheLogin() throws {
        let environment = try browser(
            #"""
            to=$(curl -s -o /dev/null -w '%{redirect_url}' "$1")
            base=${to%%\?*}
            for query in '?error=access_denied' '?code=x&state=y' ''; do
                test "$(curl -s -o /dev/null -w '%{http_code}' "$base$query")" = 400 || exit 1
            done
            test "$(curl -s -o /dev/null -w '%{http_code}' "${base%/callback}/favicon.ico")" = 404 || exit 1
            curl -s -I -o /dev/null "$to"
            curl -s -H 'Sec-Purpose: prefetch' -o /dev/null "$to"
            curl -s -o /dev/null "$to"
            """#)
        let result = try login("--browser", "--json", environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["event"] as? String }, ["browser", "done"])
    }

    func testAFixedPortCanBeUsedByConsecutiveLogins() throws {
        let environment = try browser(#"curl -s -L -o /dev/null "$1""#)
        let port = Int.random(in: 20_000..<30_000)
        for _ in 0..<2 {
            let result = try login("--browser", "--callback-port", "\(port)", environment: environment)
            XCTAssertEqual(result.status, 0, result.errorOutput)
        }
    }

    func testTheIssuerOfASealedStoreIsNotAskedAgainForEachCommand() throws {
        let key = try temporaryFile(String(repeating: "k", count: 32), named: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let location = "sealed:\(store)?key=file:\(key)"
        XCTAssertEqual(try login(["--device"], store: location, environment: [:]).status, 0)
        server.route(.get, "/a") { _ in ScriptedResponse(body: "b") }
        let before = server.requestCount
        let result = try freshet("get", "\(url)/a", "--config", config(location), "--profile", "p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.dropFirst(before).map(\.path), ["/a"], "the issuer is not asked")
    }

    func testABrowserStartsWithoutBlockedSignalsAndWithoutAnIgnoredSIGPIPE() throws {
        let folder = try temporaryDirectory().path
        var environment = try browser("curl -s -L -o /dev/null \"$1\"")
        // Not a shell, because some shells unblock signals themselves. It fails at the address, so the next one is opened.
        environment["BROWSER"] = "cp -t \(folder) /proc/self/status:\(environment["BROWSER"] ?? "")"
        XCTAssertEqual(try login("--browser", environment: environment).status, 0)
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let words = status.split(whereSeparator: \.isWhitespace)
        func signals(_ name: String) -> UInt? {
            words.firstIndex(of: "\(name):").flatMap { UInt(words[$0 + 1], radix: 16) }
        }
        XCTAssertEqual(signals("SigBlk"), 0)
        XCTAssertEqual(signals("SigIgn").map { $0 & 1 << (SIGPIPE - 1) }, 0)
    }

    func testOldMetadataIsUsedWhileNewCannotBeHad() throws {
        XCTAssertEqual(try login("--device").status, 0)
        let path = URL(fileURLWithPath: store + ".discovery")
        var cache = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
        var entry = try XCTUnwrap(cache[url] as? [String: Any])
        entry["time"] = 0
        cache[url] = entry
        try JSONSerialization.data(withJSONObject: cache).write(to: path)
        metadataFault.withLock { $0 = ScriptedResponse(status: .serviceUnavailable) }
        refuseFirstToken(at: "/me")
        let count = server.requestCount
        let result = try freshet("get", "\(url)/me", "--config", config(), "--profile", "p")
        XCTAssertEqual(result.text, "me", result.errorOutput)
        XCTAssertEqual(
            server.requests.dropFirst(count).map(\.path),
            ["/me", "/.well-known/oauth-authorization-server", "/token", "/me"])
    }

    /// An outage of the authorization server must not stop an API whose token is valid.
    func testAValidTokenNeedsNoMetadata() throws {
        metadataFault.withLock { $0 = .silence }
        server.route(.get, "/me") { _ in ScriptedResponse(body: "me") }
        server.route(.get, "/expired") { _ in ScriptedResponse(status: .unauthorized) }
        let words = ["--config", try config(), "--profile", "p"]
        let login = try freshet(
            ["login"] + words + ["--access-token", "-", "--refresh-token", "-"], input: "a\nr\n")
        XCTAssertEqual(login.status, 0, login.errorOutput)
        let count = server.requestCount
        let result = try freshet(["get", "\(url)/me"] + words)
        XCTAssertEqual(result.text, "me", result.errorOutput)
        XCTAssertEqual(server.requests.dropFirst(count).map(\.path), ["/me"])
        let late = try freshet(["get", "\(url)/expired", "-m", "1"] + words)
        XCTAssertEqual(late.status, 1)
        XCTAssertTrue(late.errorOutput.contains("freshet: timeout: "), late.errorOutput)
        XCTAssertFalse(late.errorOutput.contains("freshet waits"), late.errorOutput)
    }

    /// The metadata was read from its copy beside the store, which a machine that replays does not have.
    func testARecordingContainsTheMetadataThatAReplayElsewhereNeeds() throws {
        XCTAssertEqual(try login("--device").status, 0)
        refuseFirstToken(at: "/me")
        let recording = try temporaryDirectory().appendingPathComponent("r.har").path
        let first = try freshet("get", "\(url)/me", "--config", config(), "--profile", "p", "--record", recording)
        XCTAssertEqual(first.text, "me", first.errorOutput)
        let elsewhere = try config("file:\(try temporaryDirectory().path)/empty.json")
        let replay = try freshet("get", "\(url)/me", "--config", elsewhere, "--profile", "p", "--replay", recording)
        XCTAssertEqual(replay.text, "me", replay.errorOutput)
    }

    func testAScopeThatTheServerDidNotGrantIsNoted() throws {
        let result = try login("--device", "--step-up", "--scope", "b admin")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("note: the server did not grant admin\n"), result.errorOutput)
    }

    /// Source: RFC 6749 section 5.1.
    func testAStepUpKeepsTheScopesOfALoginWhoseResponseNamedNone() throws {
        server.route(.post, "/token") { _ in
            .json(#"{"access_token":"s3cret-x","token_type":"Bearer","expires_in":60}"#)
        }
        let first = try login("--device", "--scope", "a b")
        XCTAssertEqual(first.objects.last?["scope"] as? String, "a b", first.errorOutput)
        _ = try login("--device", "--step-up", "--scope", "admin")
        let form = Self.form(try XCTUnwrap(server.requests.last { $0.path == "/device" }).text)
        XCTAssertEqual(form["scope"], "a+b+admin")
    }

    func testALoginByDeviceShowsTheCodeBeforeItPolls() throws {
        let result = try login("--device", "--json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("AB-CD"), result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["event"] as? String }, ["device", "done"])
        XCTAssertEqual(result.objects.first?["user_code"] as? String, "AB-CD")
        XCTAssertEqual(result.objects.first?["verification_uri"] as? String, "\(url)/activate")
        let form = Self.form(try XCTUnwrap(server.requests.first { $0.path == "/device" }).text)
        XCTAssertEqual(form["scope"], "a+b")
    }

    func testALoginNotesThatItWaitsForAnotherProcessThatHoldsTheStore() throws {
        let held = FileStore(path: store, scheduler: BlockingScheduler(on: loop))
        let other = try temporaryFile(#"{"version": 1, "access_token": "b"}"#, named: "other.json")
        for (words, input) in [
            (["--access-token", "-"], "a\n"), (["--device"], ""), (["--from-store", "file:\(other)"], ""),
        ] {
            let lease = try held.lock().toBlocking().single()
            let run = try FreshetProcess(["login", "--config", config(), "--profile", "p"] + words)
            try run.write(input)
            let text = textBefore("waiting for it", of: run)
            XCTAssertTrue(text.contains("another process holds the store, as for a refresh; waiting for it"), text)
            lease.unlock()
            XCTAssertEqual(run.result().status, 0)
        }
    }

    func testTheFieldsOfTokenRequestsGoWithThoseOfALoginToo() throws {
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "login": {"issuer": "\(url)"},
             "refresh": {"client_id": "cli", "audience": "x", "resource": "\(url)", "parameters": {"tenant": "t"}}}}}
            """, named: "config.json")
        for (flow, grant) in [("--device", "device_code"), ("--browser", "authorization_code")] {
            let result = try freshet(
                "login", "--config", config, "--profile", "p", flow,
                environment: browser("curl -s -L -o /dev/null \"$1\""))
            XCTAssertEqual(result.status, 0, result.errorOutput)
            let form = Self.form(try XCTUnwrap(server.requests.last { $0.path == "/token" }).text)
            XCTAssertTrue(form["grant_type"]?.hasSuffix(grant) ?? false, "\(form)")
            XCTAssertEqual([form["audience"], form["tenant"], form["resource"]], ["x", "t", url])
        }
        XCTAssertNil(Self.form(try XCTUnwrap(server.requests.first { $0.path == "/device" }).text)["tenant"])
    }

    func testTheIssuerOfAnOptionStandsForThatOfTheProfile() throws {
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "refresh": {"client_id": "cli"}}}}
            """, named: "config.json")
        let words = ["login", "--config", config, "--profile", "p", "--device"]
        XCTAssertEqual(try freshet(words + ["--issuer", url]).status, 0)
        let both = try freshet(words + ["--issuer", url, "--discover", url])
        XCTAssertEqual(both.status, 2)
        XCTAssertTrue(both.errorOutput.contains("--issuer and --discover exclude each other"), both.errorOutput)
    }

    func testASecondLoginRevokesThePairOfTheFirst() throws {
        for _ in 1...2 { XCTAssertEqual(try login("--device").status, 0) }
        let revoked = server.requests.filter { $0.path == "/revoke" }.map { Self.form($0.text)["token"] ?? "" }
        XCTAssertEqual(revoked.count, 2)
        XCTAssertTrue(revoked.contains { $0.hasPrefix("s3cret-r") })
        XCTAssertFalse(revoked.contains(try stored()["access_token"] as? String ?? ""))
    }

    func testAFailedLoginLeavesTheStoreUnchanged() throws {
        XCTAssertEqual(try login("--device").status, 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let wrong = try browser(
            #"""
            to=$(curl -s -o /dev/null -w '%{redirect_url}' "$1")
            curl -s -o /dev/null "${to%%&iss=*}&iss=https%3A%2F%2Fevil.example"
            """#)
        for (environment, words, code) in [
            (wrong, ["--browser"], "issuer_mismatch"), ([:], ["--browser", "--timeout", "0.2"], "timeout"),
            ([:], ["--paste"], "cancelled"), ([:], ["--device", "--issuer", "\(url)/other"], "discovery"),
        ] {
            let tokenRequests = server.requests.filter { $0.path == "/token" }.count
            let result = try login(words, environment: environment)
            XCTAssertEqual(result.status, 1, code)
            XCTAssertTrue(result.errorOutput.contains("freshet: \(code): "), "\(code): \(result.errorOutput)")
            XCTAssertEqual(server.requests.filter { $0.path == "/token" }.count, tokenRequests, code)
        }
        let nowhere = try login("--device", "--issuer", "nowhere")
        XCTAssertTrue(nowhere.errorOutput.contains("write it with its scheme, as https://HOST"), nowhere.errorOutput)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: store)), before)
    }

    func testDiscoveredMetadataIsUsedForRefreshesAndLogoutsAndIsCached() throws {
        XCTAssertEqual(try login("--device").status, 0)
        server.route(.get, "/a") { request in
            ScriptedResponse(status: request.bearerToken == "s3cret-a1" ? .unauthorized : .ok)
        }
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "refresh": {"client_id": "cli"},
             "login": {"issuer": "\(url)"}}}}
            """, named: "config2.json")
        XCTAssertEqual(try freshet("get", "\(url)/a", "--config", config, "--profile", "p").status, 0)
        let out = try freshet("logout", "--config", config, "--profile", "p")
        XCTAssertEqual(out.status, 0, out.errorOutput)
        XCTAssertEqual(out.errorOutput, "")
        XCTAssertEqual(server.requests.filter { $0.path.hasPrefix("/.well-known") }.count, 1)
        XCTAssertEqual(server.requests.filter { $0.path == "/revoke" }.count, 2)
    }

    /// Two stores with one refresh token would end each other's session.
    func testACredentialMovesFromOneStoreToAnother() throws {
        XCTAssertEqual(try login("--device").status, 0)
        let id = try XCTUnwrap(stored()["login_id"] as? String)
        let folder = try temporaryDirectory().path
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: "\(folder)/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "sealed:\(folder)/s?key=file:\(folder)/key",
             "refresh": {"client_id": "cli"}, "login": {"issuer": "\(url)"}}}}
            """, named: "sealed.json")
        let moved = try freshet("login", "--config", config, "--profile", "p", "--from-store", "file:\(store)")
        XCTAssertEqual(moved.status, 0, moved.errorOutput)
        XCTAssertEqual(moved.objects.last?["scope"] as? String, "a b")
        XCTAssertFalse(
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/s")), as: UTF8.self).contains(id))
        XCTAssertNil(try stored()["access_token"] as? String)
        let again = try freshet("login", "--config", config, "--profile", "p", "--from-store", "file:\(store)")
        XCTAssertEqual(again.status, 1)
        XCTAssertTrue(
            again.errorOutput.hasPrefix(
                "freshet: login_required: --from-store file:\(store): the store has no credential; "),
            again.errorOutput)
        let own = try freshet("login", "--config", config, "--profile", "p", "--from-store", "file:\(folder)/s")
        XCTAssertTrue(
            own.errorOutput.hasPrefix("freshet: store: --from-store names the profile's own store"), own.errorOutput)
        let bogus = try freshet("login", "--config", config, "--profile", "p", "--from-store", "bogus:")
        XCTAssertTrue(bogus.errorOutput.hasPrefix("freshet: store: --from-store: "), bogus.errorOutput)
        server.route(.get, "/a") { request in
            ScriptedResponse(status: request.bearerToken?.hasPrefix("s3cret-a") == true ? .ok : .unauthorized)
        }
        XCTAssertEqual(try freshet("get", "\(url)/a", "--config", config, "--profile", "p").status, 0)
    }

    func testInvalidArgumentsAreRefused() throws {
        for words in [
            ["--device", "--browser"], ["--callback-port", "70000"], ["--callback-host", "0.0.0.0"],
            ["--callback-path", "x"], ["--callback-path", "/cb?x=1"], ["--callback-path", "/a/../cb"],
            ["--callback-path", "/c b"],
            ["--from-store", "memory:", "--device"],
            ["--access-token", "-", "--device"], ["--scope", "a\nb"], ["--scope", "a\u{7F}"],
        ] {
            XCTAssertEqual(try freshet(["login", "--profile", "p"] + words).status, 2, "\(words)")
        }
    }
}
