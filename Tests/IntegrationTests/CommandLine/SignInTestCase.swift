import Foundation
import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// An authorization server for logins of the command, with a script as the browser.
class SignInTestCase: CommandLineTestCase {
    private(set) var store = ""
    /// What takes the place of the metadata.
    let metadataFault = Locked<ScriptedResponse?>(nil)
    var url: String { server.url }

    override func setUpWithError() throws {
        try super.setUpWithError()
        store = try temporaryDirectory().appendingPathComponent("store.json").path
        let issuer = url
        server.route(.get, "/.well-known/oauth-authorization-server") { [metadataFault] _ in
            if let fault = metadataFault.withLock({ $0 }) { return fault }
            return .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",
                 "device_authorization_endpoint":"\(issuer)/device","revocation_endpoint":"\(issuer)/revoke",
                 "code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true}
                """)
        }
        server.route(.get, "/authorize") { request in
            let query = Self.form(String(request.target.split(separator: "?")[1]))
            let back = "\(query["redirect_uri"] ?? "")?code=\(query["code_challenge"] ?? "")"
            let iss = RequestBody.formEncoded(issuer)
            return ScriptedResponse(
                status: .found, headers: [.location: "\(back)&state=\(query["state"] ?? "")&iss=\(iss)"])
        }
        server.route(.post, "/device") { _ in
            .json(
                """
                {"device_code":"dc-s3cret","user_code":"AB-CD","verification_uri":"\(issuer)/activate","expires_in":60,
                 "interval":1}
                """)
        }
        server.route(.post, "/token") { request in
            let form = Self.form(request.text)
            if let verifier = form["code_verifier"],
                Base64URL.encoded(Digest.sha256(verifier.utf8)) != form["code"]
            {
                return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
            }
            return .json(
                """
                {"access_token":"s3cret-a\(request.number)","refresh_token":"s3cret-r\(request.number)","expires_in":60,
                 "scope":"a b","refresh_expires_in":600,"tenant":"t"}
                """)
        }
        server.route(.post, "/revoke") { _ in ScriptedResponse() }
    }

    static func form(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { $1 }
    }

    /// The environment of a command whose browser is `script`.
    func browser(_ script: String) throws -> [String: String] {
        let path = try temporaryFile("#!/bin/sh\n\(script)\n", named: "browser")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return ["BROWSER": path, "DISPLAY": ":9"]
    }

    func login(_ words: String..., environment: [String: String] = [:]) throws -> FreshetResult {
        try login(words, environment: environment)
    }

    /// - Parameter location: the store in the form that a profile uses; by default the file ``store``.
    func config(_ location: String? = nil) throws -> String {
        try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "\(location ?? "file:\(store)")",
             "refresh": {"client_id": "cli"}, "login": {"issuer": "\(url)", "scope": "a b"}}}}
            """, named: "config.json")
    }

    /// Has the server refuse the first request for `path`, and respond `me` to the later ones.
    func refuseFirstToken(at path: String) {
        let isFirst = Locked(true)
        server.route(.get, path) { _ in
            isFirst.withLock { first in
                defer { first = false }
                return first
            } ? ScriptedResponse(status: .unauthorized) : ScriptedResponse(body: "me")
        }
    }

    func login(
        _ words: [String], store location: String? = nil, environment: [String: String]
    ) throws -> FreshetResult {
        let result = try freshet(
            ["login", "--config", config(location), "--profile", "p"] + words, environment: environment)
        XCTAssertFalse((result.errorOutput + result.text).contains("s3cret"), result.errorOutput + result.text)
        return result
    }

    /// Reads the standard error of a command until `text` has occurred so many times.
    func textBefore(_ text: String, of run: FreshetProcess, times: Int = 1) -> String {
        var all = ""
        while all.components(separatedBy: text).count <= times {
            let more = run.firstErrorOutput()
            if more.isEmpty { break }
            all += more
        }
        return all
    }

    /// The parameters of the address that a command shows.
    static func query(in text: String) -> [String: String] {
        let address = text.split(separator: "\n").first { $0.contains("/authorize?") } ?? ""
        return form(String(address.split(separator: "?").last ?? ""))
    }

    func stored() throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: store))
        return try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
