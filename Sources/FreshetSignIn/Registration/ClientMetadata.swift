public import FreshetHTTP

/// The metadata that a client sends when it registers. Source: RFC 7591 section 2.
public struct ClientMetadata: Sendable, Hashable {
    /// The name that the server shows to the person.
    public var name: String
    /// The redirect URIs, each in the form that a login sends.
    public var redirectURIs: [String] = []
    public var grantTypes = ["authorization_code", "refresh_token"]
    /// How the client authenticates at the token endpoint. A native program cannot keep a secret. Source: RFC 8252 section 8.4.
    public var authenticationMethod = "none"
    /// The scopes that the client may ask for, separated by spaces; `nil` leaves them to the server.
    public var scope: String?
    /// `native` allows loopback redirect URIs. Source: OpenID Connect Dynamic Client Registration section 2.
    public var applicationType = "native"
    /// Further members, such as `software_id` and `contacts`.
    public var extra: [String: JSONValue] = [:]

    public init(name: String, redirectURIs: [String] = []) {
        self.name = name
        self.redirectURIs = redirectURIs
    }

    /// The JSON object of the registration request. A client ID metadata document consists of the same object.
    public var document: JSONValue {
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        var members = extra
        members["client_name"] = .string(name)
        if !redirectURIs.isEmpty { members["redirect_uris"] = texts(redirectURIs) }
        members["grant_types"] = texts(grantTypes)
        if grantTypes.contains("authorization_code") { members["response_types"] = texts(["code"]) }
        members["token_endpoint_auth_method"] = .string(authenticationMethod)
        members["application_type"] = .string(applicationType)
        if let scope { members["scope"] = .string(scope) }
        return .object(members)
    }
}
