import FoundationEssentials
import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A client of an authorization server.
final class OAuthClient: Sendable {
    /// The authentication method that the server has accepted so far.
    private enum KnownMethod {
        case nothing
        case form
        case neither
    }

    let id: String?
    private let secret: String?
    private let authentication: ClientAuthentication
    private let knownMethod = Locked(KnownMethod.nothing)

    init(id: String?, secret: String?, authentication: ClientAuthentication) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }

    /// Sends a form with the client's authentication.
    ///
    /// - Returns: the response. With ``ClientAuthentication/basicOrForm`` and two requests, it is that to the second request,
    ///   unless the server refuses that one too.
    func send(
        _ fields: [(name: String, value: String)], headers: HTTPFields = [:], to url: RequestURL,
        over client: HTTPClient
    ) -> Single<Response> {
        guard case .basicOrForm = authentication.method, secret != nil else {
            return send(fields, headers, to: url, by: authentication.method, over: client)
        }
        if knownMethod.withLock({ $0 == .form }) { return send(fields, headers, to: url, by: .form, over: client) }
        return send(fields, headers, to: url, by: .basic(isEncoded: true), over: client).flatMap { response in
            guard OAuthErrorCode(response) == .invalidClient,
                self.knownMethod.withLock({ $0 == .nothing })
            else { return .just(response) }
            return self.send(fields, headers, to: url, by: .form, over: client).map { second in
                let isRefused = OAuthErrorCode(second) == .invalidClient
                self.knownMethod.withLock { $0 = isRefused ? .neither : .form }
                return isRefused ? response : second
            }
        }
    }

    private func send(
        _ fields: [(name: String, value: String)], _ headers: HTTPFields, to url: RequestURL,
        by method: ClientAuthentication.Method, over client: HTTPClient
    ) -> Single<Response> {
        guard case .assertion(let make) = method else {
            return client.send(request(to: url, fields, headers, by: method))
        }
        let interceptor = AssertionInterceptor(make) { assertion in
            let proof = [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ]
            return self.request(to: url, fields + proof, headers, by: .none).body
        }
        return client.with(interceptors: [interceptor] + client.interceptors)
            .send(request(to: url, fields, headers, by: .none))
    }

    private func request(
        to url: RequestURL, _ fields: [(name: String, value: String)], _ headers: HTTPFields,
        by method: ClientAuthentication.Method
    ) -> Request {
        var fields = fields
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        if headers[.accept] == nil { headers[.accept] = "application/json" }
        // The identifier is sent beside Basic too: RFC 6749 section 3.2.1 allows it, and some servers demand it.
        if let id { fields.append(("client_id", id)) }
        if let id, let secret {
            switch method {
            case .basic(let isEncoded):
                let parts = [id, secret].map { isEncoded ? RequestBody.formEncoded($0) : $0 }
                headers[.authorization] = "Basic \(Data(parts.joined(separator: ":").utf8).base64EncodedString())"
            case .form: fields.append(("client_secret", secret))
            case .none, .basicOrForm, .assertion: break
            }
        }
        return Request(method: .post, url: url, headers: headers, body: .form(fields))
    }

    /// How the client authenticates, in the words of a profile's options; for error messages.
    var methodName: String {
        if secret == nil {
            if case .assertion = authentication.method { return "an assertion" }
            return "no secret"
        }
        switch authentication.method {
        case .none: return "no secret"
        case .basic(let isEncoded): return isEncoded ? "Basic" : "Basic without encoding"
        case .form: return "the form"
        case .basicOrForm: return knownMethod.withLock { $0 == .form } ? "the form" : "Basic and the form"
        case .assertion: return "an assertion"
        }
    }
}

extension OAuthClient: CustomReflectable {
    /// Without the secret.
    var customMirror: Mirror { Mirror(self, children: ["id": id as Any]) }
}
