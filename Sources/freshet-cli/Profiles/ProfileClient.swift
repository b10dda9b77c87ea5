import Freshet

/// As which client a profile asks an authorization server, and how that client proves itself.
struct ProfileClient {
    var id: String?
    var secret: String?
    /// Makes the proof on a runtime.
    var authentication: @Sendable (FreshetRuntime) -> ClientAuthentication

    init(_ section: ConfigurationSection) throws {
        id = try section.string("client_id")
        secret = try section.string("client_secret")
        let hasSecret = secret != nil
        if case .object? = section.value("client_auth"), let method = try section.section("client_auth") {
            guard !hasSecret else {
                throw section.complaint(
                    "\(section.key("client_secret")) and an assertion in client_auth are two proofs", "leave one out")
            }
            authentication = try Self.assertion(method)
            return
        }
        let name = try section.string("client_auth") ?? (hasSecret ? "basic" : "none")
        let methods: [String: ClientAuthentication] = [
            "basic": .basicOrForm, "post": .form, "basic_raw": .basicRaw, "none": .none,
        ]
        guard let method = methods[name] else {
            throw section.complaint(
                "\(section.key("client_auth")) is unknown",
                "use basic, post, basic_raw, none, {\"private_key_jwt\": {...}} or {\"jwt_file\": \"...\"}")
        }
        guard hasSecret || name == "none" else {
            throw section.complaint("\(section.key("client_secret")) is missing", "client_auth \(name) sends it")
        }
        authentication = { _ in method }
    }

    private static func assertion(
        _ section: ConfigurationSection
    ) throws -> @Sendable (FreshetRuntime) -> ClientAuthentication {
        try section.checkNames("jwt_file")
        let path = try section.required("jwt_file")
        return { .assertion(fromFile: path, on: $0.files) }
    }
}
