import Foundation
import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests that nobody else gets the tokens of a login, and that the terminal stays usable.
final class SignInSafetyTests: SignInTestCase {
    /// giantswarm/muster#1280: another program on `[::1]` received the callback, and the login waited in vain.
    func testAPortThatIsUsedOnOneAddressOfLocalhostIsRefused() throws {
        let other = try FreshetProcess(
            ["login", "--config", config(), "--profile", "p", "--browser", "--no-open", "--callback-host", "::1"])
        defer { other.process.terminate() }
        guard
            let port = Self.query(in: textBefore("\n", of: other, times: 2))["redirect_uri"]?.split(separator: ":")
                .last?
                .split(separator: "/").first
        else { throw XCTSkip("this machine has no IPv6") }
        let words = ["--browser", "--callback-host", "localhost", "--callback-port", String(port)]
        let result = try login(words, environment: try browser("true"))
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: connect: "), result.errorOutput)
    }

    func testAStoreThatCannotBeWrittenIsAnErrorBeforeTheUserLogsIn() throws {
        let result = try login(["--device", "--json"], store: "file:/dev/null/s", environment: [:])
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects.map { $0["code"] as? String }, ["store"])
        XCTAssertEqual(server.requests.map(\.path), [])
    }

    func testTokensThatCannotBeStoredAreRevoked() throws {
        let folder = try temporaryDirectory().path
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: "\(folder)/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        let result = try login(
            ["--browser"], store: "sealed:\(folder)/s?key=file:\(folder)/key",
            environment: try browser("rm \(folder)/key; curl -s -L -o /dev/null \"$1\""))
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: store: "), result.errorOutput)
        let revoked = server.requests.filter { $0.path == "/revoke" }.map { Self.form($0.text)["token"] ?? "" }
        XCTAssertEqual(Set(revoked.map { $0.prefix(8) }), ["s3cret-a", "s3cret-r"])
    }

    /// The tokens of a login that a person ends stayed valid.
    func testTokensOfALoginThatIsEndedWhileItWaitsForTheStoreAreRevoked() throws {
        let lease = try FileStore(path: store, scheduler: BlockingScheduler(on: loop)).lock().toBlocking().single()
        let run = try FreshetProcess(["login", "--config", config(), "--profile", "p", "--device"])
        _ = textBefore("waiting for it", of: run)
        kill(run.process.processIdentifier, SIGINT)
        XCTAssertEqual(run.result().status, 130)
        lease.unlock()
        let revoked = server.requests.filter { $0.path == "/revoke" }.map { Self.form($0.text)["token"] ?? "" }
        XCTAssertEqual(Set(revoked.map { $0.prefix(8) }), ["s3cret-a", "s3cret-r"])
    }

    /// A file that another user has put there could name endpoints that collect the tokens.
    func testMetadataThatAnotherUserHasWrittenIsNotUsed() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        let planted = """
            {"\(url)": {"time": \(Int(Date().timeIntervalSince1970)), "metadata": {"issuer": "\(url)",
             "token_endpoint": "\(url)/evil", "device_authorization_endpoint": "\(url)/evil"}}}
            """
        try Data(planted.utf8).write(to: URL(fileURLWithPath: store + ".discovery"))
        chown(store + ".discovery", 65534, 65534)
        XCTAssertEqual(try login("--device").status, 0)
        XCTAssertFalse(server.requests.contains { $0.path == "/evil" })
    }

    /// openclaw#112032: the refresh token went to the server that the profile names since.
    func testARefreshTokenGoesToNoOtherIssuerThatAProfileNamesLater() throws {
        XCTAssertEqual(try login("--device").status, 0)
        let other = "\(url)/other"
        server.route(.get, "/.well-known/oauth-authorization-server/other") { _ in
            .json(
                #"{"issuer":"\#(other)","token_endpoint":"\#(other)/token","revocation_endpoint":"\#(other)/revoke"}"#)
        }
        server.route { _ in ScriptedResponse(status: .unauthorized) }
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "refresh": {"client_id": "cli"},
             "login": {"issuer": "\(other)"}}}}
            """, named: "other.json")
        let before = server.requestCount
        let result = try freshet("get", "\(url)/me", "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("of another authorization server"), result.errorOutput)
        let logout = try freshet("logout", "--config", config, "--profile", "p")
        XCTAssertEqual(logout.status, 1)
        XCTAssertTrue(logout.errorOutput.contains("of another authorization server"), logout.errorOutput)
        XCTAssertEqual(
            server.requests.dropFirst(before).map(\.path), ["/me", "/.well-known/oauth-authorization-server/other"])
        // A program whose profile names the right issuer can still refresh.
        XCTAssertFalse(try String(contentsOfFile: store, encoding: .utf8).contains("refused"))
    }

    /// The request that asks the resource for its metadata was sent by a client without the recording.
    func testAReplayAsksNoResourceForItsServer() throws {
        let (url, metadata) = (url, "\(url)/odd")
        server.route(.get, "/odd") { _ in .json(#"{"resource":"\#(url)/mcp","authorization_servers":["\#(url)"]}"#) }
        server.route(.get, "/mcp") { _ in
            ScriptedResponse(
                status: .unauthorized, headers: [.wwwAuthenticate: #"Bearer resource_metadata="\#(metadata)""#])
        }
        refuseFirstToken(at: "/me")
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "refresh": {"client_id": "cli"},
             "login": {"discover": "\(url)/mcp"}}}}
            """, named: "discover.json")
        let profile = ["--config", config, "--profile", "p"]
        let login = try freshet(["login", "--device"] + profile)
        XCTAssertEqual(login.status, 0, login.errorOutput)
        let recording = try temporaryDirectory().appendingPathComponent("r.har").path
        let first = try freshet(["get", "\(url)/me", "--record", recording] + profile)
        XCTAssertEqual(first.text, "me", first.errorOutput)
        try FileManager.default.removeItem(atPath: store + ".discovery")
        let count = server.requestCount
        let replay = try freshet(["get", "\(url)/me", "--replay", recording] + profile)
        XCTAssertEqual(replay.text, "me", replay.errorOutput)
        XCTAssertEqual(server.requests.dropFirst(count).map(\.path), [])
    }

    /// A profile whose server is behind the test's server as a proxy, over plain http.
    private func proxied(_ login: String) throws -> [String] {
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["http://api.test"], "store": "file:\(store)", "allow_http": true,
             "refresh": {"client_id": "cli"}, "login": \(login)}}}
            """, named: "proxied.json")
        return ["--config", config, "--profile", "p"]
    }

    func testALoginAndALogoutUseTheProxyOfTheEnvironment() throws {
        server.route(.get, "/.well-known/oauth-authorization-server/t") { _ in
            .json(
                """
                {"issuer":"http://id.test/t","token_endpoint":"http://id.test/token",
                 "revocation_endpoint":"http://id.test/revoke","device_authorization_endpoint":"http://id.test/device"}
                """)
        }
        let profile = try proxied(#"{"issuer": "http://id.test/t"}"#)
        let result = try freshet(["login", "--device"] + profile, environment: ["http_proxy": url])
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let logout = try freshet(["logout"] + profile, environment: ["http_proxy": url])
        XCTAssertEqual(logout.status, 0, logout.errorOutput)
        XCTAssertTrue(server.requests.contains { $0.path == "/revoke" })
    }

    func testAPublicResourceCannotNameAnAuthorizationServerInThisNetwork() throws {
        server.route { request in
            guard request.path.hasSuffix("/oauth-protected-resource/mcp") else {
                return ScriptedResponse(status: .unauthorized)
            }
            return .json(#"{"resource":"http://mcp.test/mcp","authorization_servers":["http://10.0.0.1/"]}"#)
        }
        let profile = try proxied(#"{"discover": "http://mcp.test/mcp"}"#)
        let result = try freshet(["login", "--device"] + profile, environment: ["http_proxy": url])
        XCTAssertTrue(result.errorOutput.contains("it names an address of a private network"), result.errorOutput)
        XCTAssertEqual(server.requests.filter { $0.target.contains("10.0.0.1") }.map(\.target), [])
    }

    func testAnAddressIsPastedWithoutEchoAndTheEchoIsRestored() throws {
        for isPasted in [true, false] {
            let terminal = try Terminal()
            let run = try FreshetProcess(
                ["login", "--config", config(), "--profile", "p", "--paste"] + (isPasted ? [] : ["--timeout", "4"]),
                input: terminal.end)
            let query = Self.query(in: textBefore("which is not shown: ", of: run))
            waitUntil("nothing is shown") { !terminal.shows }
            if isPasted {
                let callback = "?code=\(query["code_challenge"] ?? "")&state=\(query["state"] ?? "")"
                try terminal.type("\(query["redirect_uri"] ?? "")\(callback)&iss=\(RequestBody.formEncoded(url))\n")
            }
            let result = run.result()
            XCTAssertEqual(result.status, isPasted ? 0 : 1, result.errorOutput)
            XCTAssertTrue(terminal.shows, "the terminal stays without its echo")
            XCTAssertFalse(result.errorOutput.contains("which is not shown"), "it asks again: \(result.errorOutput)")
        }
    }

    func testASealedStoreThatItsKeyDoesNotOpenIsNotReplaced() throws {
        let folder = try temporaryDirectory().path
        let config = try config("sealed:\(folder)/s?key=file:\(folder)/key")
        func writeKey(_ byte: UInt8) throws {
            try Data(repeating: byte, count: 32).write(to: URL(fileURLWithPath: "\(folder)/key"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        }
        let login = ["login", "--config", config, "--profile", "p"]
        try writeKey(1)
        XCTAssertEqual(try freshet(login + ["--access-token", "-"], input: "a\n").status, 0)
        let sealed = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/s"))
        let other = try temporaryFile(#"{"access_token": "a", "version": 1}"#)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
        try writeKey(2)
        for words in [["--access-token", "-"], ["--from-store", "file:\(other)"]] {
            let result = try freshet(login + words, input: "b\n")
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/s")), sealed)
        }
    }

    /// The error suggested to send the request again, which a person cannot do.
    func testALostTokenRequestSuggestsAnotherLogin() throws {
        metadataFault.withLock {
            $0 = .json(
                """
                {"issuer":"\(url)","authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)/lost",
                 "code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true}
                """)
        }
        server.route(.post, "/lost") { _ in .close }
        let result = try login("--browser", environment: browser("curl -s -L -o /dev/null \"$1\""))
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: connection_lost: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("; begin the login again ("), result.errorOutput)
    }

    /// RFC 7009, section 2.1: a server can end the whole session, of which the new tokens can be too.
    func testGivenTokensRevokeNothingAndANoteSaysSoUnlessOneIsTheSame() throws {
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)",
             "refresh": {"url": "\(url)/token", "client_id": "cli", "revoke_url": "\(url)/revoke"}}}}
            """, named: "config.json")
        for (tokens, isNoted) in [
            ("a1\nr1\n", false), ("a2\nr1\n", false), ("a2\nr2\n", false), ("s3cret\nr3\n", true), ("a4\nr4\n", true),
        ] {
            let words = ["login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-"]
            let result = try freshet(words, input: tokens)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(result.errorOutput.contains("note: the replaced credential is not revoked"), isNoted, tokens)
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
        }
        XCTAssertEqual(server.requests.map(\.path), [])
    }

    func testGivenTokensWaitForNoServer() throws {
        XCTAssertEqual(try login("--device").status, 0)
        let before = server.requestCount
        try? FileManager.default.removeItem(atPath: store + ".discovery")
        for (option, token) in [("--access-token", "a\n"), ("--refresh-token", "r1\n"), ("--refresh-token", "r2\n")] {
            let result = try freshet("login", "--config", config(), "--profile", "p", option, "-", input: token)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertTrue(
                result.errorOutput.contains("note: the replaced credential is not revoked"), result.errorOutput)
        }
        XCTAssertEqual(server.requests.dropFirst(before).map(\.path), [])
    }

    func testASealedStoreThatWasMovedOrDamagedIsDeletedBeforeTheLogin() throws {
        let folder = try temporaryDirectory().path
        try Data(repeating: 1, count: 32).write(to: URL(fileURLWithPath: "\(folder)/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        func login(_ name: String) throws -> FreshetResult {
            let config = try config("sealed:\(folder)/\(name)?key=file:\(folder)/key")
            return try freshet("login", "--config", config, "--profile", "p", "--access-token", "-", input: "a\n")
        }
        XCTAssertEqual(try login("s").status, 0)
        let sealed = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/s"))
        try FileManager.default.copyItem(atPath: "\(folder)/s", toPath: "\(folder)/moved")
        for (name, content) in [("moved", sealed), ("s", sealed.prefix(20)), ("s", sealed.dropLast())] {
            try content.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            let refused = try login(name)
            XCTAssertEqual(refused.status, 1)
            XCTAssertTrue(refused.errorOutput.contains("delete it, and log in again"), refused.errorOutput)
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            XCTAssertEqual(try login(name).status, 0)
        }
    }
}
