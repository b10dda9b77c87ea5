import Freshet

/// How a profile gets its first tokens.
struct ProfileLogin {
    enum Flow: String, CaseIterable {
        case browser, device, paste
    }

    var flow: Flow?
    var issuer: String?
    /// The address of a protected resource, whose metadata names the issuer.
    var discover: String?
    var authorizationURL: RequestURL?
    var deviceURL: RequestURL?
    var scope: String?
    var resources: [String] = []
    var callback = LoopbackReceiver.Address()

    /// Whether endpoints that the profile does not name are found by discovery.
    var isDiscovered: Bool { issuer != nil || discover != nil }

    init(_ section: ConfigurationSection?) throws {
        guard let section else { return }
        try section.checkNames(
            "flow", "issuer", "discover", "authorization_url", "device_url", "scope", "resource", "callback_host",
            "callback_port", "callback_path")
        flow = try section.string("flow").map { name in
            guard let flow = Flow(rawValue: name) else {
                throw section.configurationError("\(section.key("flow")) is unknown", "use browser, device or paste")
            }
            return flow
        }
        issuer = try section.string("issuer")
        discover = try section.string("discover")
        func url(_ name: String) throws -> RequestURL? {
            try section.string(name).map { text in try section.checked(name) { try RequestURL(text) } }
        }
        for name in ["issuer", "discover"] { _ = try url(name) }
        authorizationURL = try url("authorization_url")
        deviceURL = try url("device_url")
        scope = try section.string("scope")
        resources = try section.strings("resource") ?? []
        if let host = try section.string("callback_host") {
            guard let host = LoopbackReceiver.Host(rawValue: host) else {
                throw section.configurationError(
                    "\(section.key("callback_host")) is unknown", "use 127.0.0.1, ::1 or localhost")
            }
            callback.host = host
        }
        if let value = section.value("callback_port") {
            guard let port = value.integer, (0...65535).contains(port) else {
                throw section.configurationError(
                    "\(section.key("callback_port")) is no port", "use one number, or 0 for any port")
            }
            callback.port = port
        }
        if let path = try section.string("callback_path") {
            guard Self.isCallbackPath(path) else {
                throw section.configurationError(
                    "\(section.key("callback_path")) is no path that begins with a slash, as it stands in a URL")
            }
            callback.path = path
        }
    }

    /// Whether a browser asks for `text` as it is: it has neither a query nor a fragment, and nothing that a URL writes in another
    /// way. Source: RFC 6749 section 3.1.2.
    static func isCallbackPath(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.contains { "?#".contains($0) }
            && (try? RequestURL("http://127.0.0.1\(text)"))?.pathAndQuery == text
    }
}
