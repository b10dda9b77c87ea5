import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests each promise about profiles through requests.
final class ProfileConformanceTests: ProfileTestCase {
    private func get(
        _ words: String..., config: String, environment: [String: String] = [:]
    ) throws -> FreshetResult {
        let run = try FreshetProcess(
            ["get"] + words + ["--config", config, "--profile", "p"], environment: environment)
        return run.result()
    }

    /// A profile whose store has tokens of `server`.
    private func signedIn(_ server: TokenServer, _ rest: String, origins: String? = nil) throws -> (
        config: String, store: String
    ) {
        let tokens = server.signIn()
        let store = try temporaryFile(
            """
            {"access_token": "\(tokens.accessToken)", "refresh_token": "\(tokens.refreshToken ?? "")", "version": 1}
            """, named: "store.json")
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": \(origins ?? "[\"\(server.url)\"]"), "store": "file:\(store)"\(rest)}}}
            """, named: "config.json")
        return (config, store)
    }

    func testAnotherPortOrSchemeOfTheSameHostIsAnotherOrigin() throws {
        let server = try tokenServer()
        let (config, _) = try signedIn(
            server, #", "headers": {"X-Api-Key": "k"}"#,
            origins:
                #"["http://127.0.0.1:1", "https://127.0.0.1", "\#(server.url.replacingOccurrences(of: "http", with: "https"))"]"#
        )
        let result = try get(server.url, config: config)
        XCTAssertEqual(result.status, 22, result.errorOutput)
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertNil(server.requests[0].headers[.authorization])
        XCTAssertNil(server.requests[0].headers[.apiKey])
    }

    func testAnOriginMayEndWithASlashAndUseCapitals() throws {
        let server = try tokenServer()
        let (config, _) = try signedIn(
            server, "", origins: "\"\(server.url.replacingOccurrences(of: "http", with: "HTTP"))/\"")
        let result = try get(server.url, config: config)
        XCTAssertEqual(result.status, 0, result.errorOutput)
    }

    func testARedirectTargetOutsideTheOriginsCausesNoRefresh() throws {
        let other = try tokenServer()
        let server = try TokenServer(on: loop) { _ in
            ScriptedResponse(status: .found, headers: [.location: other.url])
        }
        atTheEnd { server.close() }
        let (config, _) = try signedIn(
            server, ", \"refresh\": {\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\"}")
        let result = try get(server.url, config: config)
        XCTAssertEqual(result.status, 22)
        XCTAssertEqual(server.counts.refreshes, 0)
        XCTAssertEqual(other.requests.map { $0.headers[.authorization] }, [nil])
    }

    func testARedirectBetweenTwoOriginsOfTheProfileKeepsTheCredential() throws {
        let other = try ScriptedServer(on: loop)
        atTheEnd { other.close() }
        other.route { _ in ScriptedResponse() }
        let server = try TokenServer(on: loop) { _ in
            ScriptedResponse(status: .found, headers: [.location: other.url])
        }
        atTheEnd { server.close() }
        let (config, _) = try signedIn(server, "", origins: "[\"\(server.url)\", \"\(other.url)\"]")
        XCTAssertEqual(try get(server.url, config: config).status, 0)
        XCTAssertEqual(other.requests.map { $0.headers[.authorization] }, ["Bearer access-1.1"])
    }

    func testSchemeAndHeadersComeFromTheProfile() throws {
        for (scheme, value) in [("Token", "Token access-1.1"), ("", "access-1.1")] {
            var rules = TokenServer.Rules()
            rules.accessToken = { $0.headers[.authorization].map { String($0.split(separator: " ").last ?? "") } }
            let server = try tokenServer(rules)
            let (config, _) = try signedIn(
                server, ", \"scheme\": \"\(scheme)\", \"headers\": {\"X-Api-Key\": \"$KEY\", \"X-Two\": \"a${KEY}b\"}")
            let result = try get(server.url, config: config, environment: ["KEY": "k"])
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(server.requests[0].headers[.authorization], value)
            XCTAssertEqual(server.requests[0].headers[.apiKey], "k")
            XCTAssertEqual(server.requests[0].headers[.init("X-Two")!], "akb")
        }
    }

    func testHeadersOfTheCommandLineOverrideTheProfile() throws {
        let server = try tokenServer()
        let (config, _) = try signedIn(
            server,
            ", \"headers\": {\"X-Api-Key\": \"k\"}, \"refresh\": {\"url\": \"\(server.tokenURL)\", \"client_id\": \"c\"}"
        )
        let result = try get(
            server.url, "-H", "X-Api-Key: other", "-H", "Authorization: Basic eDp5", config: config)
        XCTAssertEqual(result.status, 22, "the server's own word on what was given by hand")
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertEqual(server.requests[0].headers[.authorization], "Basic eDp5")
    }

    private func challenge(_ error: String) -> ScriptedResponse {
        ScriptedResponse(status: .forbidden, headers: [.wwwAuthenticate: "Bearer error=\"\(error)\""])
    }

    func testEachExpiryRuleOfTheProfileAppliesToEveryMethodAndToNoOtherResponse() throws {
        let listed = #"{"status": [401, 419], "body": {"pointer": "/errors/0/code~1x", "equals": ["E05", 17]}}"#
        let body = #"{"errors": [{"code/x": "E05"}]}"#
        for (expired, response, isSign) in [
            (listed, ScriptedResponse(status: .unauthorized), true),
            (listed, .json("{}", status: .init(code: 419)), true),
            (listed, .json(body, status: .badRequest), true),
            (listed, .json(#"{"errors": [{"code/x": 17}]}"#, status: .internalServerError), true),
            (listed, .json(#"{"errors": [{"code/x": "17"}]}"#, status: .init(code: 599)), true),
            (listed, .json(#"{"errors": [{"code/x": "E06"}]}"#, status: .badRequest), false),
            (listed, .json(body), false),
            (listed, .json("{}", status: .forbidden), false),
            (listed, ScriptedResponse(status: .badRequest, body: body + "x"), false),
            (#"{"status": [403]}"#, ScriptedResponse(status: .forbidden), true),
            (#"{"status": [403]}"#, challenge("insufficient_scope"), false),
            (#"{"status": [419]}"#, challenge("invalid_token"), false),
            (#"{"status": 419}"#, .json("{}", status: .init(code: 419)), true),
            (#"{"status": [419]}"#, ScriptedResponse(status: .unauthorized), false),
            (#"{"body": {"pointer": "/e", "equals": "E05"}}"#, .json(#"{"e": "E05"}"#, status: .badRequest), true),
        ] as [(String, ScriptedResponse, Bool)] {
            var rules = TokenServer.Rules()
            rules.expiryResponse = ExpiryResponse(response: response)
            let server = try tokenServer(rules)
            let (config, _) = try signedIn(
                server,
                ", \"expired\": \(expired), \"refresh\": {\"url\": \"\(server.tokenURL)\", \"client_id\": \"c\"}")
            server.expireTokens()
            let result = try get("\(server.url)/a", "-X", "PATCH", "-d", "body", config: config)
            let details = "\(expired) \(response): \(result.errorOutput)"
            XCTAssertEqual(server.counts.refreshes, isSign ? 1 : 0, details)
            if isSign { XCTAssertEqual(result.status, 0, details) }
            let sent = server.requests.filter { $0.path == "/a" }
            XCTAssertEqual(sent.map(\.text), Array(repeating: "body", count: isSign ? 2 : 1), details)
        }
    }

    func testAnOAuthRefreshSendsTheFormOfTheStandard() throws {
        let server = try tokenServer()
        let (config, store) = try signedIn(
            server,
            """
            , "headers": {"X-Api-Key": "k"}, "refresh": {"url": "\(server.tokenURL)", "client_id": "a b&c", "client_secret": "$SECRET"}
            """)
        server.expireTokens()
        XCTAssertEqual(
            try get(server.url, config: config, environment: ["SECRET": "é=+"]).status, 0)
        let refresh = try XCTUnwrap(server.requests.first { $0.path == "/token" })
        XCTAssertEqual(refresh.method, .post)
        XCTAssertEqual(refresh.headers[.contentType], "application/x-www-form-urlencoded")
        // This is base64 of `a+b%26c:%C3%A9%3D%2B`.
        XCTAssertEqual(refresh.headers[.authorization], "Basic YStiJTI2YzolQzMlQTklM0QlMkI=")
        XCTAssertNil(refresh.headers[.apiKey])
        XCTAssertEqual(
            Set(refresh.text.split(separator: "&").map(String.init)),
            ["grant_type=refresh_token", "refresh_token=refresh-1.1", "client_id=a+b%26c"])
        XCTAssertEqual(try stored(store)["version"] as? Int, 2)
        let mode = try FileManager.default.attributesOfItem(atPath: store)[.posixPermissions] as? Int
        XCTAssertEqual(mode, 0o600, "also where it was wider")
    }

    func testATemplateIsSentUnchangedWithTheRefreshTokenInserted() throws {
        let server = try tokenServer()
        let other = try ScriptedServer(on: loop)
        atTheEnd { other.close() }
        let (config, store) = try signedIn(
            server,
            """
            , "refresh": {"url": "\(other.url)/renew", "method": "PUT", "headers": {"X-Old": "<{refresh_token}>", "X-Api-Key": "$KEY"},
              "json": {"a": ["{refresh_token}", 1, true, null, "$KEY"], "b": {"c": "x{refresh_token}y"}},
              "access_token": "/data/0/a~1b", "refresh_token": "/data/1/r", "expires_in": "/life"}
            """)
        server.expireTokens()
        let fresh = server.signIn()
        other.route { _ in
            .json("{\"data\": [{\"a/b\": \"\(fresh.accessToken)\"}, {\"r\": \"new\"}], \"life\": \"3600\"}")
        }
        let result = try get(server.url, config: config, environment: ["KEY": "k"])
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let renewal = try XCTUnwrap(other.requests.first)
        XCTAssertEqual(renewal.method, .put)
        XCTAssertEqual(renewal.path, "/renew")
        XCTAssertEqual(renewal.headers[.init("X-Old")!], "<refresh-1.1>")
        XCTAssertEqual(renewal.headers[.apiKey], "k")
        XCTAssertEqual(renewal.headers[.contentType], "application/json")
        let json = try JSONSerialization.jsonObject(with: Data(renewal.body)) as? NSDictionary
        XCTAssertEqual(
            json,
            ["a": ["refresh-1.1", 1, true, NSNull(), "k"] as NSArray, "b": ["c": "xrefresh-1.1y"] as NSDictionary])
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "new")
        let end = try XCTUnwrap(stored(store)["expires_at"] as? Double)
        XCTAssertEqual(end, Date().timeIntervalSince1970 + 3600, accuracy: 60)
    }

    func testAMissingVariableIsReportedWithItsKeyAndNothingIsSent() throws {
        let server = try tokenServer()
        for (rest, key) in [
            (#", "headers": {"A": "$NO_KEY"}"#, "headers.A"), (#", "scheme": "$NO_KEY""#, "scheme"),
            (#", "refresh": {"url": "https://h", "client_id": "$NO_KEY"}"#, "refresh.client_id"),
            (
                #", "refresh": {"url": "https://h", "client_id": "c", "client_secret": "$NO_KEY"}"#,
                "refresh.client_secret"
            ),
            (#", "refresh": {"url": "https://h", "client_id": "c", "revoke_url": "$NO_KEY"}"#, "refresh.revoke_url"),
            (#", "refresh": {"url": "$NO_KEY/t", "client_id": "c"}"#, "refresh.url"),
            (
                #", "refresh": {"url": "https://h", "access_token": "/a", "json": {"x": ["$NO_KEY"]}}"#,
                "refresh.json.x[0]"
            ),
            (#", "expired": {"body": {"pointer": "/a", "equals": ["$NO_KEY"]}}"#, "expired.body.equals"),
        ] {
            let (config, _) = try signedIn(server, rest)
            for verb in [["get", server.url], ["run"], ["login", "--access-token", "-"], ["logout"], ["status"]] {
                let run = try FreshetProcess(verb + ["--config", config, "--profile", "p"])
                try run.input.fileHandleForWriting.close()
                let result = run.result()
                XCTAssertEqual(result.status, 1, "\(verb) \(rest)")
                XCTAssertTrue(result.errorOutput.contains("profiles.p.\(key) needs"), "\(verb) \(result.errorOutput)")
                XCTAssertTrue(result.errorOutput.contains("NO_KEY"), result.errorOutput)
            }
        }
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testEachVerbFindsTheConfigurationAtItsDocumentedPaths() throws {
        let home = try temporaryDirectory().path
        let store = try temporaryFile(#"{"access_token": "a", "version": 1}"#)
        let text = #"{"profiles": {"NAME": {"origins": ["https://h"], "store": "file:\#(store)"}}}"#
        for (relativePath, name) in [
            ("a/config.json", "env"), ("x/freshet/config.json", "xdg"), (".config/freshet/config.json", "home"),
        ] {
            let path = home + "/" + relativePath
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(text.replacingOccurrences(of: "NAME", with: name).utf8).write(to: URL(fileURLWithPath: path))
        }
        var environment = ["HOME": home, "XDG_CONFIG_HOME": "", "FRESHET_CONFIG": ""]
        XCTAssertEqual(try freshet("status", "--profile", "home", environment: environment).status, 0)
        environment["XDG_CONFIG_HOME"] = home + "/x"
        XCTAssertEqual(try freshet("status", "--profile", "xdg", environment: environment).status, 0)
        environment["FRESHET_CONFIG"] = home + "/a/config.json"
        XCTAssertEqual(try freshet("status", "--profile", "env", environment: environment).status, 0)
        let named = home + "/x/freshet/config.json"
        XCTAssertEqual(
            try freshet("status", "--profile", "xdg", "--config", named, environment: environment).status, 0)
    }
}
