import FoundationEssentials
import FreshetHTTP
import HTTPTypes

/// How a client that has a secret proves itself to an authorization server. Source: RFC 6749 section 2.3.1.
public enum ClientAuthentication: Sendable, Hashable {
    /// `client_id` and `client_secret` in the body.
    case body
    /// `Authorization: Basic`, id and secret form-encoded. A client without a secret has its id in the body all the same.
    case basic
}

/// A client of an authorization server.
struct OAuthClient: Sendable {
    var id: String?
    var secret: String?
    var authentication: ClientAuthentication

    /// A request with these fields and the client's proof.
    func request(to url: RequestURL, _ fields: [(name: String, value: String)]) -> Request {
        var fields = fields
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
        if let id, let secret, authentication == .basic {
            let proof = "\(RequestBody.formEncoded(id)):\(RequestBody.formEncoded(secret))"
            headers[.authorization] = "Basic \(Data(proof.utf8).base64EncodedString())"
        } else {
            if let id { fields.append(("client_id", id)) }
            if let secret { fields.append(("client_secret", secret)) }
        }
        return Request(method: .post, url: url, headers: headers, body: .form(fields))
    }
}
