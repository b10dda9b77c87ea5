import FoundationEssentials
import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A client of an authorization server.
final class OAuthClient: Sendable {
    typealias Fields = [(name: String, value: String)]

    let id: String?
    private let secret: String?
    private let authentication: ClientAuthentication
    /// Whether the server has refused Basic and accepted the form.
    private let acceptsFormOnly = Locked(false)

    init(id: String?, secret: String?, authentication: ClientAuthentication) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }

    /// Sends a form with the client's authentication.
    ///
    /// - Parameter fields: returns the form, without the client's fields, for an attempt at an endpoint.
    /// - Returns: the response. With ``ClientAuthentication/basicOrForm`` and two requests, it is that to the second request,
    ///   unless the server refuses that one too.
    func send(
        _ fields: @escaping @Sendable (_ endpoint: RequestURL) -> Single<Fields>, headers: HTTPFields = [:],
        to url: RequestURL, over client: HTTPClient
    ) -> Single<Response> {
        guard case .basicOrForm = authentication.method, secret != nil else {
            return send(fields, headers, to: url, by: authentication.method, over: client)
        }
        // The method is chosen when the request begins, because a request before it can have found it out.
        return .deferred { [self] in
            if acceptsFormOnly.withLock({ $0 }) {
                return send(fields, headers, to: url, by: .form, over: client).do(onSuccess: { response in
                    if OAuthErrorCode(response) == .invalidClient { self.acceptsFormOnly.withLock { $0 = false } }
                })
            }
            return send(fields, headers, to: url, by: .basic(isEncoded: true), over: client).flatMap { response in
                guard OAuthErrorCode(response) == .invalidClient else { return .just(response) }
                return self.send(fields, headers, to: url, by: .form, over: client).map { second in
                    guard let isAccepted = Self.acceptsClient(second) else { return second }
                    self.acceptsFormOnly.withLock { $0 = isAccepted }
                    return isAccepted ? second : response
                }
            }
        }
    }

    /// Whether the server has accepted the client; `nil` if the response does not say.
    private static func acceptsClient(_ response: Response) -> Bool? {
        switch OAuthErrorCode(response) {
        case .invalidClient?: false
        // The server judges the client before the tokens and the grant.
        case .authorizationPending?, .slowDown?, .accessDenied?, .unauthorizedClient?: true
        case let code?: OAuthErrorCode.final.contains(code) ? true : nil
        case nil where response.status.kind == .successful: true
        // The refusal can be that of the client, and must not count as one of the tokens.
        case nil: [400, 401, 403].contains(response.status.code) ? false : nil
        }
    }

    private func send(
        _ fields: @escaping @Sendable (_ endpoint: RequestURL) -> Single<Fields>, _ headers: HTTPFields,
        to url: RequestURL, by method: ClientAuthentication.Method, over client: HTTPClient
    ) -> Single<Response> {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        if headers[.accept] == nil { headers[.accept] = "application/json" }
        if case .basic(let isEncoded) = method, let id, let secret {
            let parts = [id, secret].map { isEncoded ? RequestBody.formEncoded($0) : $0 }
            headers[.authorization] = "Basic \(Data(parts.joined(separator: ":").utf8).base64EncodedString())"
        }
        let interceptor = FormInterceptor { endpoint in
            Single.zip(fields(endpoint), self.proof(to: endpoint, by: method)) { Self.fields($0, without: $1) + $1 }
        }
        var request = Request(method: .post, url: url, headers: headers)
        request.tags[PlacedSecrets.self] = PlacedSecrets(names: [], needsNewResponse: true)
        return client.with(interceptors: [interceptor] + client.interceptors).send(request)
    }

    /// Returns the fields that have none of the names in `others`. A form has such a field once. Source: RFC 6749 section 3.2.
    static func fields(_ fields: Fields, without others: Fields) -> Fields {
        fields.filter { field in !others.contains { $0.name == field.name } }
    }

    /// Returns the client's fields of a form for `endpoint`.
    private func proof(to endpoint: RequestURL, by method: ClientAuthentication.Method) -> Single<Fields> {
        // The identifier is sent beside Basic too: RFC 6749 section 3.2.1 allows it, and some servers demand it.
        let name = id.map { [("client_id", $0)] } ?? []
        switch method {
        case .assertion(let make):
            return make(endpoint).map { assertion in
                let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                return [("client_assertion_type", type), ("client_assertion", assertion)] + name
            }
        case .form: return .just(name + (id == nil ? [] : secret.map { [("client_secret", $0)] } ?? []))
        case .none, .basic, .basicOrForm: return .just(name)
        }
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
        case .basicOrForm: return acceptsFormOnly.withLock { $0 } ? "the form" : "Basic and the form"
        case .assertion: return "an assertion"
        }
    }
}

extension OAuthClient: CustomReflectable {
    /// Without the secret.
    var customMirror: Mirror { Mirror(self, children: ["id": id as Any]) }
}
