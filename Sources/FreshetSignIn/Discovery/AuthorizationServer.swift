public import FreshetHTTP

/// The metadata of an authorization server. Source: RFC 8414 section 2, OpenID Connect Discovery section 3.
public struct AuthorizationServer: Sendable, Hashable {
    /// Identifies the server. Issuers are compared byte by byte.
    public var issuer: String
    public var authorizationEndpoint: RequestURL?
    public var tokenEndpoint: RequestURL?
    /// Source: RFC 8628 section 4.
    public var deviceAuthorizationEndpoint: RequestURL?
    public var registrationEndpoint: RequestURL?
    public var revocationEndpoint: RequestURL?
    /// How clients authenticate at the token endpoint; `nil` means `client_secret_basic`.
    public var tokenEndpointAuthMethods: [String]?
    /// The methods of PKCE; `nil` if the server does not list them. A login by browser fails if the list does not contain
    /// `S256`.
    public var codeChallengeMethods: [String]?
    public var scopes: [String]?
    /// Whether each authorization response names the issuer. Source: RFC 9207 section 3.
    public var namesIssuer = false
    /// The endpoints for clients that authenticate by their certificate, by name. An endpoint that is missing here is the
    /// ordinary one. Source: RFC 8705 section 5.
    public var mutualTLSEndpoints: [String: RequestURL] = [:]
    /// Whether a URL can be the client's identifier (client ID metadata documents).
    public var supportsClientIDMetadataDocuments = false

    /// The document that the metadata was read from, for callers that store it.
    public private(set) var document: JSONValue?

    public init(issuer: String) {
        self.issuer = issuer
    }

    /// Reads the metadata in `document`.
    ///
    /// - Throws: `HTTPClientError` with code `discovery` if `document` is no such metadata, or an endpoint is no URL.
    public init(_ document: JSONValue) throws {
        try self.init(document, from: nil)
    }

    /// - Parameter address: the address of `document`, for the error.
    init(_ document: JSONValue, from address: RequestURL?) throws {
        self.document = document
        guard case .object(let members) = document, case .string(let issuer)? = members["issuer"] else {
            throw HTTPClientError.discovery("the metadata has no issuer", at: address)
        }
        self.issuer = issuer
        func url(_ name: String) throws -> RequestURL? {
            guard case .string(let text)? = members[name] else { return nil }
            guard let url = try? RequestURL(text) else {
                throw HTTPClientError.discovery("its \(name) is no URL", at: address)
            }
            return url
        }
        func texts(_ name: String) -> [String]? {
            guard case .array(let values)? = members[name] else { return nil }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        authorizationEndpoint = try url("authorization_endpoint")
        tokenEndpoint = try url("token_endpoint")
        deviceAuthorizationEndpoint = try url("device_authorization_endpoint")
        registrationEndpoint = try url("registration_endpoint")
        revocationEndpoint = try url("revocation_endpoint")
        if case .object(let aliases)? = members["mtls_endpoint_aliases"] {
            mutualTLSEndpoints = aliases.compactMapValues { alias in
                if case .string(let text) = alias { try? RequestURL(text) } else { nil }
            }
        }
        tokenEndpointAuthMethods = texts("token_endpoint_auth_methods_supported")
        codeChallengeMethods = texts("code_challenge_methods_supported")
        scopes = texts("scopes_supported")
        namesIssuer = members["authorization_response_iss_parameter_supported"] == .bool(true)
        supportsClientIDMetadataDocuments = members["client_id_metadata_document_supported"] == .bool(true)
    }

    var endpoints: [RequestURL] {
        [
            authorizationEndpoint, tokenEndpoint, deviceAuthorizationEndpoint, registrationEndpoint, revocationEndpoint,
        ].compactMap { $0 } + mutualTLSEndpoints.values
    }

    /// Returns the server for a client that authenticates by its certificate. The client's identifier is sent in the form
    /// (``FreshetAuth/ClientAuthentication/none``), and the transport has the certificate.
    public func forMutualTLS() -> AuthorizationServer {
        var server = self
        server.tokenEndpoint = mutualTLSEndpoints["token_endpoint"] ?? tokenEndpoint
        server.revocationEndpoint = mutualTLSEndpoints["revocation_endpoint"] ?? revocationEndpoint
        server.deviceAuthorizationEndpoint =
            mutualTLSEndpoints["device_authorization_endpoint"] ?? deviceAuthorizationEndpoint
        server.registrationEndpoint = mutualTLSEndpoints["registration_endpoint"] ?? registrationEndpoint
        return server
    }
}

/// The metadata of a protected resource. Source: RFC 9728 section 2.
public struct ProtectedResource: Sendable, Hashable {
    /// Identifies the resource. The authorization server receives it unchanged (RFC 8707).
    public var resource: String
    /// The issuers of the servers whose tokens it accepts.
    public var authorizationServers: [String]
    public var scopes: [String]?

    public init(resource: String, authorizationServers: [String], scopes: [String]? = nil) {
        self.resource = resource
        self.authorizationServers = authorizationServers
        self.scopes = scopes
    }

    init?(_ document: JSONValue) {
        guard case .object(let members) = document, case .string(let resource)? = members["resource"],
            case .array(let servers)? = members["authorization_servers"]
        else { return nil }
        self.resource = resource
        authorizationServers = servers.compactMap { if case .string(let text) = $0 { text } else { nil } }
        if case .array(let values)? = members["scopes_supported"] {
            scopes = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
    }
}

extension HTTPClientError {
    static func discovery(
        _ message: String, at url: RequestURL? = nil, underlying: (any Error)? = nil
    ) -> HTTPClientError {
        HTTPClientError(
            .discovery, phase: .receiving, origin: url?.origin.description ?? "",
            message: url.map { "\($0.redacted): \(message)" } ?? message,
            recoverySuggestion: "check the issuer, or name the endpoints themselves", underlying: underlying)
    }

    /// The error for metadata that no response has brought, with the phase of its cause and what helps against that.
    static func discovery(at url: RequestURL, failedDueTo error: any Error) -> HTTPClientError {
        var failure = discovery("it can't be had", at: url, underlying: error)
        guard var cause = error as? HTTPClientError else { return failure }
        failure.phase = cause.phase
        // The limit for metadata is fixed.
        if cause.code != .tooLarge {
            failure.recoverySuggestion = cause.recoverySuggestion ?? failure.recoverySuggestion
        }
        cause.recoverySuggestion = nil
        failure.message += " (\(cause))"
        return failure
    }

    static func issuerMismatch(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .issuerMismatch, phase: .receiving, message: message,
            recoverySuggestion: "check the issuer; do not log in there until its owner has explained the difference")
    }
}
