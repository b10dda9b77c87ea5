import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes

/// An MCP server and its authorization server. Its token expires in the middle of a call of `slow`.
struct ScriptedMCPServer: Sendable {
    /// The valid tokens, with their scopes.
    private let tokens = Locked<[String: String]>([:])
    private let isExpired = Locked<Set<String>>([])

    static func form(_ text: some StringProtocol) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { part in
                part.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { $1 }
    }

    init(on server: ScriptedServer) {
        let url = server.url
        let tokens = tokens
        server.route(.get, "/.well-known/oauth-protected-resource/mcp") { _ in
            .json(#"{"resource":"\#(url)/mcp","authorization_servers":["\#(url)"],"scopes_supported":["admin"]}"#)
        }
        server.route(.get, "/.well-known/oauth-authorization-server") { _ in
            .json(
                """
                {"issuer":"\(url)","authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)/token",
                 "registration_endpoint":"\(url)/register","code_challenge_methods_supported":["S256"]}
                """)
        }
        server.route(.post, "/register") { request in
            .json(#"{"client_id":"client-\#(request.number)","token_endpoint_auth_method":"none"}"#, status: .created)
        }
        server.route(.get, "/authorize") { request in
            let query = Self.form(request.target.split(separator: "?")[1])
            let code = RequestBody.formEncoded(query["scope"] ?? "")
            let back = "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"
            return ScriptedResponse(status: .found, headers: [.location: back])
        }
        server.route(.post, "/token") { request in
            let form = Self.form(request.text)
            let token = "access-\(request.number)"
            let scope = form["code"] ?? form["refresh_token"] ?? ""
            tokens.withLock { $0[token] = scope }
            return .json(
                #"{"access_token":"\#(token)","token_type":"Bearer","refresh_token":"\#(scope)","scope":"\#(scope)"}"#)
        }
        let service = self
        server.route(.get, "/mcp") { service.respond(to: $0, url) }
        server.route(.post, "/mcp") { service.respond(to: $0, url) }
    }

    private func respond(to request: RecordedRequest, _ url: String) -> ScriptedResponse {
        guard let token = request.bearerToken, let scope = tokens.withLock({ $0[token] }),
            !isExpired.withLock({ $0.contains(token) })
        else {
            let place = "\(url)/.well-known/oauth-protected-resource/mcp"
            return ScriptedResponse(
                status: .unauthorized,
                headers: [.wwwAuthenticate: #"Bearer resource_metadata="\#(place)", scope="read""#])
        }
        if request.method == .get { return resume(request) }
        guard let message = try? JSONValue(request.body), let id = message["id"]?.text else {
            return ScriptedResponse(status: .accepted)
        }
        switch (message["method"]?.text, message["params"]?["name"]?.text) {
        case ("initialize", _):
            var response = ScriptedResponse.json(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
            response.headers[HTTPField.Name("Mcp-Session-Id")!] = "s1"
            return response
        case ("tools/list", _):
            return stream(#"{"jsonrpc":"2.0","id":\#(id),"result":{"tools":[{"name":"slow"},{"name":"admin"}]}}"#)
        case (_, "slow"):
            // The credential expires in the middle of the response, and the stream is cut.
            isExpired.withLock { _ = $0.insert(token) }
            return stream(
                #"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"half"}}"#, id: "\(id).1")
        case (_, "admin") where !scope.split(separator: " ").contains("write"):
            return ScriptedResponse(
                status: .forbidden,
                headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="write""#])
        default:
            return stream(
                #"{"jsonrpc":"2.0","id":\#(id),"result":{"content":[{"type":"text","text":"done with \#(scope)"}]}}"#)
        }
    }

    private func resume(_ request: RecordedRequest) -> ScriptedResponse {
        let last = request.headers[HTTPField.Name("Last-Event-ID")!] ?? ""
        let id = last.split(separator: ".").first ?? ""
        return stream(#"{"jsonrpc":"2.0","id":\#(id),"result":{"content":[{"type":"text","text":"whole"}]}}"#)
    }

    private func stream(_ message: String, id: String? = nil) -> ScriptedResponse {
        let name = id.map { "id: \($0)\nretry: 10\n" } ?? ""
        return ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "\(name)data: \(message)\n\n")
    }
}
