import Freshet

/// A profile of the configuration file: how to authenticate at one API.
struct Profile {
    var name: String
    var origins: [Origin]
    var store: StoreLocation
    /// Reads the location of another store, which is written as in a profile.
    var otherStore: @Sendable (String) throws -> StoreLocation
    /// The store as the file names it, without a password.
    var storeName: String
    var scheme: String
    var headers: HTTPFields
    /// See ``secrets(in:)``.
    var secrets: Set<String>
    var expired: ExpiryRule
    var refresh: RefreshEndpoint?
    var login: ProfileLogin
    /// The error of a login at a server, if the profile names no client.
    var missingClient: HTTPClientError?
    /// The folder of the cache.
    var cache: String?
    /// The file with the hosts that are contacted only over https.
    var hsts: String?
    var rateLimit: RateArgument?
    /// Whether the requests are recorded. Then the metadata of the server is requested too, because a replay elsewhere has no copy.
    var isRecorded = false
    /// Whether tokens may go over plain http to other machines.
    var allowsPlainHTTP: Bool

    /// - Parameter isDiscovered: whether an option names what discovery needs, so that the profile need not.
    init(name: String, _ section: ConfigurationSection, isDiscovered: Bool = false) throws {
        self.name = name
        try section.checkNames(
            "origins", "store", "scheme", "headers", "expired", "refresh", "login", "allow_http", "cache", "rate_limit",
            "hsts")
        guard let origins = try section.strings("origins"), !origins.isEmpty else {
            throw section.configurationError("\(section.key("origins")) is missing", "list where the credential may go")
        }
        self.origins = try origins.enumerated().map { index, text in
            guard !text.contains("*") else {
                throw section.configurationError("\(section.key("origins[\(index)]")) has a *", "list each origin")
            }
            return try section.checked("origins[\(index)]") { try Origin(text) }
        }
        store =
            try Self.hasOnlyFields(section)
            ? .absent(profile: name) : StoreLocation(try section.required("store"), of: name, in: section)
        otherStore = { text in
            // The place for an error, because this store is not in the file.
            let place = try ConfigurationSection(
                file: "--from-store", path: "", environment: section.environment, .object([:]))
            return try StoreLocation(text, of: name, in: place)
        }
        storeName = StoreLocation.withoutPassword(section.text("store") ?? "")
        login = try ProfileLogin(section.section("login"))
        refresh = try section.section("refresh").map { [login] in
            try RefreshEndpoint($0, isDiscovered: isDiscovered || login.isDiscovered)
        }
        if refresh?.client.id == nil {
            missingClient = section.configurationError("\(section.key("refresh.client_id")) is missing", "add it")
        }
        scheme = try section.string("scheme") ?? (refresh?.provesPossession == true ? "DPoP" : "Bearer")
        guard scheme.isEmpty || HTTPField.Name(scheme) != nil else {
            throw section.configurationError(
                "\(section.key("scheme")) is not one word", "leave it empty for a bare token")
        }
        headers = try section.fields("headers")
        secrets = try Self.secrets(in: section)
        expired = try section.section("expired").map(ExpiryRule.init) ?? ExpiryRule()
        cache = try section.string("cache").map { try section.expandingHome($0, in: "cache") }
        hsts = try section.string("hsts").map { try section.expandingHome($0, in: "hsts") }
        rateLimit = try section.string("rate_limit").map { text in
            guard let rate = RateArgument(argument: text) else {
                throw section.configurationError("\(section.key("rate_limit")) is no rate", "write 20/s, 90/m or auto")
            }
            return rate
        }
        allowsPlainHTTP = try section.bool("allow_http") ?? false
    }

    /// Whether the profile has fields, such as an API key, and nothing that is about a credential.
    private static func hasOnlyFields(_ section: ConfigurationSection) throws -> Bool {
        try ["store", "refresh", "login", "scheme", "expired"].allSatisfy { section.value($0) == nil }
            && !section.fields("headers").isEmpty
    }
}

extension ExpiryRule {
    fileprivate init(_ section: ConfigurationSection) throws {
        try section.checkNames("status", "body")
        let body = try section.section("body").map { section in
            try section.checkNames("pointer", "equals")
            guard let pointer = try section.pointer("pointer") else {
                throw section.configurationError(
                    "\(section.key("pointer")) is missing", "say where in the body to look")
            }
            return Body(pointer: pointer, equals: try section.texts("equals"))
        }
        let statuses = try section.integers("status") ?? (body == nil ? [401] : [])
        guard statuses.allSatisfy((100...599).contains) else {
            throw section.configurationError("\(section.key("status")) is no HTTP status")
        }
        self.init(statuses: Set(statuses), body: body)
        // Only the signs that the profile lists count.
        readsChallenges = false
    }
}
