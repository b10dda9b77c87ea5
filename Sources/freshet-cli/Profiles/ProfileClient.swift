import Freshet

/// The OAuth client of a profile, and how it authenticates at the authorization server.
struct ProfileClient {
    var id: String?
    var secret: String?
    /// Makes the client's authentication on a runtime, for the server of an issuer where the profile knows one.
    var authentication: @Sendable (FreshetRuntime, _ issuer: () throws -> String?) throws -> ClientAuthentication

    /// Whether the authentication names the issuer, which discovery may have to find.
    private(set) var needsIssuer = false

    init(_ section: ConfigurationSection) throws {
        id = try section.string("client_id")
        if id == "" {
            throw section.configurationError("\(section.key("client_id")) is empty", "fill it in, or leave it out")
        }
        secret = try section.string("client_secret")
        if secret == "" {
            throw section.configurationError("\(section.key("client_secret")) is empty", "fill it in, or leave it out")
        }
        let hasSecret = secret != nil
        if case .object? = section.value("client_auth"), let method = try section.section("client_auth") {
            guard !hasSecret else {
                throw section.configurationError(
                    "\(section.key("client_secret")) and an assertion in client_auth are two proofs", "leave one out")
            }
            authentication = try Self.assertion(
                method, of: try section.required("client_id"), tokenURL: try section.string("url"))
            needsIssuer = try method.section("private_key_jwt").map { $0.value("audience") == nil } ?? false
            return
        }
        let name = try section.string("client_auth") ?? (hasSecret ? "basic" : "none")
        let methods: [String: ClientAuthentication] = [
            "basic": .basicOrForm, "post": .form, "basic_raw": .basicRaw, "none": .none,
        ]
        guard let method = methods[name] else {
            throw section.configurationError(
                "\(section.key("client_auth")) is unknown",
                "use basic, post, basic_raw, none, {\"private_key_jwt\": {...}} or {\"jwt_file\": \"...\"}")
        }
        guard hasSecret || name == "none" else {
            throw section.configurationError(
                "\(section.key("client_secret")) is missing", "client_auth \(name) sends it")
        }
        authentication = { _, _ in method }
    }

    private static func assertion(
        _ section: ConfigurationSection, of clientID: String, tokenURL: String?
    ) throws -> @Sendable (FreshetRuntime, _ issuer: () throws -> String?) throws -> ClientAuthentication {
        try section.checkNames("jwt_file", "private_key_jwt")
        guard let signed = try section.section("private_key_jwt") else {
            let path = try section.required("jwt_file")
            return { runtime, _ in .assertion(fromFile: path, on: runtime.files) }
        }
        try signed.checkNames("key_file", "kid", "audience")
        let path = try signed.required("key_file")
        let key: SigningKey
        do {
            key = try SigningKey(pem: String(decoding: readAll(from: path, limit: longestOwnFile), as: UTF8.self))
        } catch {
            throw signed.configurationError("\(signed.key("key_file")): \(path) can't be used: \(error)")
        }
        let keyID = try signed.string("kid")
        let audience = try signed.string("audience")
        return { _, issuer in
            // The issuer comes first, because an endpoint could be another server's (the draft of RFC 7523's successor).
            let audience = try audience ?? issuer() ?? tokenURL
            return .privateKeyJWT(
                key: key, clientID: clientID, keyID: keyID, audience: audience.map { .text($0) } ?? .endpoint)
        }
    }
}
