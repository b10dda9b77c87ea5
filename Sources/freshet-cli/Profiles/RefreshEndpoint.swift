import Freshet

/// Where and how a profile's credential is refreshed.
struct RefreshEndpoint {
    /// The request that refreshes the credential.
    enum Call {
        /// - Parameter tokenURL: the token endpoint; `nil` if discovery finds it.
        case oauth(tokenURL: RequestURL?, OAuthGrant, TokenRequest)
        /// A request to any other server: a JSON body that contains `{refresh_token}`, and pointers into the response.
        case template(ProfileAuthenticator.Endpoint)
    }

    var call: Call
    /// Where a logout revokes the tokens, as the same client.
    var revokeURL: RequestURL?
    var client: ProfileClient
    /// Whether the tokens are bound to a key (RFC 9449).
    var provesPossession: Bool
    /// How long before its expiry a token is refreshed in the background; `nil` derives this time from the token's lifetime.
    var ahead: Duration?
    /// Whether the background refresh also runs while there are no requests.
    var whileIdle: Bool
    var limit: Int
    var window: Duration

    /// - Parameter isDiscovered: whether the profile's login or an option names an issuer or a resource, from which the endpoints
    ///   follow.
    init(_ section: ConfigurationSection, isDiscovered: Bool) throws {
        try section.checkNames(
            "url", "client_id", "client_secret", "client_auth", "grant", "revoke_url", "method", "headers", "json",
            "access_token", "refresh_token", "expires_in", "limit", "window_s", "scope", "audience", "resource",
            "parameters", "dpop", "ahead_s", "idle")
        provesPossession = try section.bool("dpop") ?? false
        ahead = try section.integer("ahead_s").map { .seconds($0) }
        whileIdle = try section.bool("idle") ?? false
        limit = try section.integer("limit") ?? 5
        window = .seconds(try section.integer("window_s") ?? 30)
        revokeURL = try section.string("revoke_url").map { text in
            try section.checked("revoke_url") { try RequestURL(text) }
        }
        client = try ProfileClient(section)
        let url = try section.string("url").map { text in try section.checked("url") { try RequestURL(text) } }
        if url == nil, !isDiscovered {
            let login = section.path.replacing(/refresh$/, with: "login")
            throw section.configurationError(
                "\(section.key("url")) is missing",
                "add it, or name the authorization server in \(login).issuer or a resource of it in \(login).discover")
        }
        if section.value("access_token") != nil {
            guard let url else { throw section.configurationError("\(section.key("url")) is missing", "add it") }
            call = .template(try Self.endpoint(url, section))
        } else if section.value("json") != nil || section.value("method") != nil {
            throw section.configurationError(
                "\(section.key("access_token")) is missing", "give a JSON Pointer into the response")
        } else {
            _ = try section.required("client_id")
            call = .oauth(tokenURL: url, try Self.grant(section), try TokenRequest(section))
        }
    }

    /// The fields and headers of each token request, besides its grant and its client.
    struct TokenRequest {
        var fields: [(name: String, value: String)] = []
        var headers: HTTPFields

        init(_ section: ConfigurationSection) throws {
            headers = try section.fields("headers")
            if let scope = try section.string("scope") { fields.append(("scope", scope)) }
            for name in ["audience", "resource"] {
                for value in try section.strings(name) ?? [] { fields.append((name, value)) }
            }
            guard let parameters = try section.section("parameters") else { return }
            for name in parameters.names {
                try Self.check(name, of: parameters, in: section)
                for value in try parameters.texts(name) { fields.append((name, value)) }
            }
        }

        /// The fields that every request for new tokens has.
        private static let ownFields: Set = ["client_id", "grant_type", "refresh_token"]

        /// Refuses a parameter with the name of a field that is sent anyway. A form has each of those fields once (RFC 6749,
        /// section 3.2).
        private static func check(
            _ name: String, of parameters: ConfigurationSection, in section: ConfigurationSection
        ) throws {
            guard ownFields.contains(name) || name == "scope" && section.value("scope") != nil else { return }
            let keys = ["client_id": "client_id", "grant_type": "grant", "scope": "scope"]
            throw section.configurationError(
                "\(parameters.key(name)) is a field that the command sends itself",
                keys[name].map { "use \(section.key($0))" } ?? "leave it out")
        }
    }

    private static func endpoint(
        _ url: RequestURL, _ section: ConfigurationSection
    ) throws -> ProfileAuthenticator.Endpoint {
        var endpoint = ProfileAuthenticator.Endpoint(
            url: url, accessToken: try section.pointer("access_token") ?? JSONPointer("/access_token"),
            refreshToken: try section.pointer("refresh_token") ?? JSONPointer("/refresh_token"),
            expiresIn: try section.pointer("expires_in") ?? JSONPointer("/expires_in"))
        let method = try section.string("method") ?? "POST"
        endpoint.method = try section.checked("method") { try .init(named: method) }
        endpoint.headers = try section.fields("headers")
        endpoint.json = try section.value("json").map { try section.expanded($0, at: "json") }
        return endpoint
    }

    private static func grant(_ section: ConfigurationSection) throws -> OAuthGrant {
        switch try section.string("grant") {
        case nil, "refresh_token": return .refreshToken
        case "client_credentials": return .clientCredentials
        default:
            throw section.configurationError(
                "\(section.key("grant")) is unknown", "use refresh_token or client_credentials")
        }
    }
}
