public import HTTPTypes

/// One challenge of `WWW-Authenticate`: the scheme by which a server wants to be shown a credential, and what it says about
/// the last one. Source: RFC 9110 section 11.6.1.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case, such as `bearer`.
    public let scheme: String
    /// What stands in the place of parameters with some schemes, such as `negotiate`.
    public internal(set) var token68: String?
    private var parameters: [String: String] = [:]

    init(scheme: String) {
        self.scheme = scheme.lowercased()
    }

    /// The value of a parameter, whatever the case of its name: `realm`, `scope`, `error`.
    public subscript(name: String) -> String? { parameters[name.lowercased()] }

    /// The first of two parameters with one name counts; there must not be two.
    mutating func addParameter(_ name: String, _ value: String) {
        let name = name.lowercased()
        if parameters[name] == nil { parameters[name] = value }
    }

    /// All challenges of a response in order, of one field or of several.
    ///
    /// What is no challenge is passed over: a comma that is missing, a value that should have been quoted, text without a
    /// closing quotation mark. Takes time in proportion to the fields' length, whatever they hold.
    public static func all(
        in headers: HTTPFields, _ name: HTTPField.Name = .wwwAuthenticate
    ) -> [AuthenticationChallenge] {
        headers[values: name].flatMap { field in
            var parser = AuthenticationChallengeParser(field)
            return parser.challenges()
        }
    }
}
