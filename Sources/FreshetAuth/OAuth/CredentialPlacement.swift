import FreshetHTTP
public import HTTPTypes

/// Where in a request a credential is placed.
public struct CredentialPlacement: Sendable, Hashable {
    private enum Kind: Hashable {
        case authorization(scheme: String)
        case fields(access: HTTPField.Name, refresh: HTTPField.Name?)
    }

    // A class, because each request copies the placement.
    private final class Parts: Sendable {
        let kind: Kind
        let headers: HTTPFields
        /// The scheme of the `Authorization` field; `nil` for other fields.
        let scheme: String?
        private let made = CachedField()

        init(_ kind: Kind, _ headers: HTTPFields) {
            self.kind = kind
            self.headers = headers
            if case .authorization(let scheme) = kind { self.scheme = scheme } else { scheme = nil }
        }

        /// Returns a header with only the `Authorization` field.
        func field(of credential: Credential, _ scheme: String) -> HTTPFields {
            made.field(.authorization, for: credential.accessToken) { CredentialPlacement.value(scheme, credential) }
        }
    }

    private var parts: Parts
    private var kind: Kind { parts.kind }
    /// Further fields for the credential's origins, such as an API key. A field of the request with the same name takes
    /// precedence.
    public var headers: HTTPFields {
        get { parts.headers }
        set { parts = Parts(parts.kind, newValue) }
    }

    private init(kind: Kind, headers: HTTPFields) {
        parts = Parts(kind, headers)
    }

    public static func == (left: CredentialPlacement, right: CredentialPlacement) -> Bool {
        left.parts === right.parts || (left.kind == right.kind && left.headers == right.headers)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(headers)
    }

    /// `Authorization: SCHEME TOKEN`, if the request has no `Authorization` of its own. With an empty scheme the value is the
    /// token alone. Source: RFC 6750 section 2.1.
    public static func authorization(scheme: String = "Bearer", headers: HTTPFields = [:]) -> CredentialPlacement {
        CredentialPlacement(kind: .authorization(scheme: scheme), headers: headers)
    }

    /// The unchanged tokens in their own header fields, which replace the request's fields of the same names.
    public static func fields(
        access: HTTPField.Name, refresh: HTTPField.Name? = nil, headers: HTTPFields = [:]
    ) -> CredentialPlacement {
        CredentialPlacement(kind: .fields(access: access, refresh: refresh), headers: headers)
    }

    /// The placement of bearer tokens. It is shared, so that its cached field is too.
    static let bearer = authorization()
    /// The placement of tokens that are bound to a key.
    static let dpop = authorization(scheme: "DPoP")

    func apply(_ credential: Credential, to request: Request) -> Request {
        // The usual case: the token is the only field.
        if let scheme = parts.scheme, parts.headers.isEmpty, request.headers.isEmpty {
            var request = request
            request.headers = parts.field(of: credential, scheme)
            return request
        }
        var request = request
        for field in headers where !request.headers.contains(field.name) { request.headers.append(field) }
        switch kind {
        case .authorization(let scheme):
            request.headers[fields: .authorization] = Array(parts.field(of: credential, scheme))
        case .fields(let access, let refresh):
            request.headers[access] = credential.accessToken
            if let refresh { request.headers[refresh] = credential.refreshToken }
        }
        return request
    }

    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        switch kind {
        case .authorization(let scheme): Self.holds(request, .authorization, Self.value(scheme, credential))
        case .fields(let access, _): Self.holds(request, access, credential.accessToken)
        }
    }

    fileprivate static func value(_ scheme: String, _ credential: Credential) -> String {
        scheme.isEmpty ? credential.accessToken : "\(scheme) \(credential.accessToken)"
    }

    /// Compares the values as fields, because a field's value has no whitespace at its ends.
    private static func holds(_ request: Request, _ name: HTTPField.Name, _ value: String) -> Bool {
        request.headers[name] == HTTPField(name: name, value: value).value
    }

    func excludes(_ request: Request) -> Bool {
        parts.scheme != nil && !request.headers.isEmpty && request.headers[.authorization] != nil
    }

    /// Checks the type of the token in a response. A token of an unknown type must not be used. Source: RFC 6749 section 7.1, RFC
    /// 9449 section 5.
    ///
    /// - Parameter isBound: whether the token was requested with a proof of possession. Any other token can be used without one,
    ///   by anybody who has it.
    func checkType(in members: [String: JSONValue], isBound: Bool) throws(MalformedTokenResponse) {
        switch members["token_type"] {
        case .string(let type)? where isBound && type.lowercased() == "dpop": break
        case _ where isBound:
            throw MalformedTokenResponse("its token_type is not DPoP, so its token is bound to no key")
        case nil, .null?: break
        case .string(let type)? where accepts(tokenType: type): break
        default: throw MalformedTokenResponse("its token_type is no Bearer, and its token can't be used")
        }
    }

    /// The case of the type is ignored. A bearer token fits everywhere, and a custom field holds a token of any type. Source: RFC
    /// 6749 sections 5.1 and 7.1.
    private func accepts(tokenType: String) -> Bool {
        switch kind {
        case .authorization(let scheme):
            scheme.isEmpty || ["bearer", scheme.lowercased()].contains(tokenType.lowercased())
        case .fields: true
        }
    }
}

extension CredentialPlacement: CustomReflectable {
    /// Without the values of the header fields, which can be secrets.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "headers": headers.map(\.name)]) }
}
