public import HTTPTypes

/// One challenge of `WWW-Authenticate`: the authentication scheme that the server demands, and what it says about the last
/// credential. Source: RFC 9110 section 11.6.1.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case, such as `bearer`.
    public let scheme: String
    /// The value that some schemes, such as `negotiate`, have instead of parameters.
    public internal(set) var token68: String?
    private var parameters: [String: String] = [:]

    init(scheme: String) {
        self.scheme = scheme.lowercased()
    }

    /// The value of a parameter such as `realm`, `scope` or `error`. The case of its name is ignored.
    public subscript(name: String) -> String? { parameters[name.lowercased()] }

    /// Adds a parameter unless there is one with the same name. A challenge must not repeat a name, so the first one counts.
    mutating func addParameter(_ name: String, _ value: String) {
        let name = name.lowercased()
        if parameters[name] == nil { parameters[name] = value }
    }

    /// Returns all challenges of a response in order, from one field or several.
    ///
    /// Malformed parts are skipped: a missing comma, a value that should have been quoted, text without a closing quotation
    /// mark. The time is proportional to the length of the fields, whatever they contain.
    public static func all(
        in headers: HTTPFields, _ name: HTTPField.Name = .wwwAuthenticate
    ) -> [AuthenticationChallenge] {
        headers[values: name].flatMap { field in
            var parser = AuthenticationChallengeParser(field)
            return parser.challenges()
        }
    }
}
