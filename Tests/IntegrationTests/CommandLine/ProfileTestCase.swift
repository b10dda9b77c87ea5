import Foundation
import FreshetHTTPTesting
import XCTest

/// A server whose tokens expire, and profiles for it.
class ProfileTestCase: CommandLineTestCase {
    func profile(
        _ server: TokenServer, store: String, extra: String = "", refresh: String? = nil
    ) throws -> String {
        let refresh = refresh ?? "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\"}"
        return try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)"], "store": "\(store)", "refresh": \(refresh)\(extra)}}}
            """, named: "config.json")
    }

    /// The `refresh` of a profile for which nobody logs in.
    func clientCredentials(of server: TokenServer) -> String {
        "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\", \"grant\": \"client_credentials\"}"
    }

    func tokenServer(_ rules: TokenServer.Rules = .init()) throws -> TokenServer {
        let server = try TokenServer(on: loop, rules: rules)
        atTheEnd { server.close() }
        return server
    }

    /// A store with a session of `server`, which `login` has stored.
    func loggedIn(_ server: TokenServer, extra: String = "", refresh: String? = nil) throws -> (
        config: String, store: String
    ) {
        let store = try temporaryDirectory().appendingPathComponent("store.json").path
        let config = try profile(server, store: "file:\(store)", extra: extra, refresh: refresh)
        try logIn(to: server, config)
        return (config, store)
    }

    func logIn(to server: TokenServer, _ config: String, environment: [String: String] = [:]) throws {
        let tokens = server.signIn()
        let result = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-",
            input: "\(tokens.accessToken)\n\(tokens.refreshToken ?? "")\n",
            environment: environment.merging(["KEY": "k"]) { $1 })
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["profile"] as? String }, ["p"])
    }

    func stored(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
