public import FreshetAuth
public import FreshetHTTP

/// A client that is registered at an authorization server. It belongs to one issuer, and no other issuer receives it.
public struct RegisteredClient: Sendable, Hashable {
    public let issuer: String
    public let id: String
    /// The client's secret, if it has one. No description shows it.
    public let secret: String?
    /// When the secret expires, in seconds since 1970; `nil` if it does not. Source: RFC 7591 section 3.2.1.
    public let secretExpiresAt: Double?
    /// How the client authenticates at the token endpoint, according to the server; `nil` leaves it to the client.
    public let authenticationMethod: String?
    /// The response of the server. Store it as secretly as a credential; ``init(_:issuer:)`` reads it.
    public let document: JSONValue

    /// Reads the response of a registration endpoint.
    ///
    /// - Throws: `HTTPClientError` with code `protocol` if it has no client identifier.
    public init(_ document: JSONValue, issuer: String) throws {
        guard case .object(let members) = document, case .string(let id)? = members["client_id"], !id.isEmpty else {
            throw HTTPClientError(
                .protocol, phase: .decoding, message: "the registration's response has no client_id",
                recoverySuggestion: "register the client by hand, and give its identifier")
        }
        func text(_ name: String) -> String? {
            guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
            return text
        }
        self.issuer = issuer
        self.id = id
        self.document = document
        secret = text("client_secret")
        authenticationMethod = text("token_endpoint_auth_method")
        // 0 means that the secret does not expire.
        secretExpiresAt = members["client_secret_expires_at"]?.seconds.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Creates a client whose identifier is the address of its metadata document. The server reads that document. Source:
    /// draft-ietf-oauth-client-id-metadata-document, section 3.
    ///
    /// - Parameters:
    ///   - url: the address of the document, over https, with a path, and without a fragment or dot segments.
    ///   - server: the server, which must accept such identifiers.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for another address, or `discovery` for a server that does not
    ///   accept such identifiers.
    public init(documentAt url: String, for server: AuthorizationServer) throws {
        guard server.supportsClientIDMetadataDocuments else {
            throw HTTPClientError.discovery("\(server.issuer) takes no address as the identifier of a client")
        }
        // Identifiers are compared as text, so URL parsing must not change the text.
        guard let parsed = try? RequestURL(url), parsed.origin.scheme == "https", parsed.absoluteString == url,
            parsed.path.count > 1, !url.contains("#")
        else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the address of the client's metadata can't be an identifier",
                recoverySuggestion: "use an https address with a path, without a fragment, dot segments or a user name",
                isUnsent: true)
        }
        issuer = server.issuer
        id = url
        secret = nil
        secretExpiresAt = nil
        authenticationMethod = "none"
        document = .object(["client_id": .string(url), "token_endpoint_auth_method": .string("none")])
    }

    /// How the client authenticates. A secret without a method uses Basic, the default of RFC 7591 section 2, and the form if
    /// the server refuses Basic.
    public var authentication: ClientAuthentication {
        switch authenticationMethod {
        case _ where secret == nil: .none
        case "client_secret_post": .form
        case "client_secret_basic": .basic
        case "none": .none
        default: .basicOrForm
        }
    }

    /// Whether the secret has expired. The client then has to register again.
    public func isExpired(at secondsSince1970: Double) -> Bool {
        secretExpiresAt.map { $0 <= secondsSince1970 } ?? false
    }

    /// Returns the token endpoint of `server` for this client.
    ///
    /// - Throws: `HTTPClientError` with code `issuerMismatch` if the client is registered at another server, `discovery` if the
    ///   server has no token endpoint, or `invalidRequest` if tokens would be sent over plain http and `allowsPlainHTTP` is
    ///   false.
    public func tokenEndpoint(
        of server: AuthorizationServer, client: HTTPClient, allowsPlainHTTP: Bool = false
    ) throws -> TokenEndpoint {
        guard server.issuer.utf8.elementsEqual(issuer.utf8) else {
            throw HTTPClientError.issuerMismatch("the client \(id) is registered at \(issuer), and not at this server")
        }
        guard let url = server.tokenEndpoint else {
            throw HTTPClientError.discovery("\(issuer) has no token endpoint")
        }
        var endpoint = try TokenEndpoint(
            url: url, clientID: id, clientSecret: secret, clientAuthentication: authentication,
            allowsPlainHTTP: allowsPlainHTTP, client: client)
        endpoint.issuer = issuer
        return endpoint
    }
}

extension RegisteredClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "client \(id) of \(issuer)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "issuer": issuer]) }
}
