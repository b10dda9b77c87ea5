import Freshet

extension Profile {
    /// The variables of the environment from which header fields and token requests are made. A recording masks these texts wherever
    /// they occur.
    static func secrets(in section: ConfigurationSection) throws -> Set<String> {
        let refresh = try section.section("refresh")
        let values = [section.value("headers")] + ["headers", "parameters", "json"].map { refresh?.value($0) }
        let queries = ["url", "revoke_url"].compactMap { refresh?.text($0)?.drop { $0 != "?" } }
        let texts = values.compactMap(\.self).flatMap(strings) + queries.map(String.init)
        return Set(texts.flatMap(ConfigurationSection.variables).compactMap { section.environment[$0] })
    }

    private static func strings(of value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(strings)
        case .object(let members): members.values.flatMap(strings)
        case .null, .bool, .number: []
        }
    }
}
