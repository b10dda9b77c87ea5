public import FreshetAuth
public import FreshetHTTP

/// A client that an authorization server knows. It belongs to one issuer and is never shown to another one.
public struct RegisteredClient: Sendable, Hashable {
    public let issuer: String
    public let id: String
    /// No description shows it.
    public let secret: String?
    /// When the secret expires, in seconds since 1970; `nil` if it does not. Source: RFC 7591 section 3.2.1.
    public let secretExpiresAt: Double?
    /// How the client proves itself at the token endpoint, by the server's word; `nil` leaves it to the client.
    public let authenticationMethod: String?
    /// The response of the server, to be kept as secretly as a credential; ``init(_:issuer:)`` reads it.
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
        // 0 is never.
        secretExpiresAt = members["client_secret_expires_at"]?.seconds.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A client whose identifier is the address of its metadata document, which the server reads.
    /// Source: draft-ietf-oauth-client-id-metadata-document, section 3.
    ///
    /// - Parameters:
    ///   - url: the address of the document, over https, with a path, and without a fragment or dot segments.
    ///   - server: the server, which takes such identifiers.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for another address, `discovery` for a server that takes none.
    public init(documentAt url: String, for server: AuthorizationServer) throws {
        guard server.takesClientIDDocuments else {
            throw HTTPClientError.discovery("\(server.issuer) takes no address as the identifier of a client")
        }
        // The identifier is compared as text, so the text must be the one that a URL parser keeps.
        guard let parsed = try? RequestURL(url), parsed.origin.scheme == "https", parsed.absoluteString == url,
            parsed.pathAndQuery.prefix(while: { $0 != "?" }).count > 1, !url.contains("#")
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

    /// How the client proves itself. A secret without a method goes by Basic, as RFC 7591 section 2 says.
    public var authentication: ClientAuthentication {
        switch authenticationMethod {
        case _ where secret == nil: .none
        case "client_secret_post": .form
        case "client_secret_basic": .basic
        case "none": .none
        default: .basicOrForm
        }
    }

    /// Whether the secret has expired, so that the client has to register anew.
    public func isExpired(at secondsSince1970: Double) -> Bool {
        secretExpiresAt.map { $0 <= secondsSince1970 } ?? false
    }

    /// The token endpoint of `server`, asked as this client.
    ///
    /// - Throws: `HTTPClientError`: with code `issuerMismatch` for another server than the one that knows the client,
    ///   `discovery` if the server has no token endpoint, `invalidRequest` if tokens would go over plain http and may not.
    public func tokenEndpoint(
        of server: AuthorizationServer, client: HTTPClient, allowsPlainHTTP: Bool = false
    ) throws -> TokenEndpoint {
        guard server.issuer == issuer else {
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
