import Freshet

extension Profile {
    /// The names of the header fields, parameters and members that get their values from the environment. A recording masks such
    /// a value wherever it occurs.
    static func namesOfSecrets(in section: ConfigurationSection) throws -> Set<String> {
        let refresh = try section.section("refresh")
        let placed = [
            section.value("headers"), refresh?.value("headers"), refresh?.value("parameters"), refresh?.value("json"),
        ]
        let query = refresh?.text("url")?.split { "?&".contains($0) }.dropFirst() ?? []
        return Set(placed.compactMap(\.self).flatMap { names(withVariablesIn: $0) })
            .union(query.filter(ConfigurationSection.hasVariable).map { String($0.prefix { $0 != "=" }) })
    }

    /// - Parameter name: the name of `value`.
    private static func names(withVariablesIn value: JSONValue, named name: String? = nil) -> Set<String> {
        switch value {
        case .string(let text): ConfigurationSection.hasVariable(text[...]) ? Set([name].compactMap(\.self)) : []
        case .array(let elements): Set(elements.flatMap { names(withVariablesIn: $0, named: name) })
        case .object(let members): Set(members.flatMap { names(withVariablesIn: $0.value, named: $0.key) })
        case .null, .bool, .number: []
        }
    }
}
