import Freshet

extension AuthorizationServer {
    var knownTokenEndpoint: RequestURL {
        get throws { try tokenEndpoint.orMissing("token endpoint", member: #""url" in "refresh""#) }
    }
}

extension Optional {
    /// - Parameters:
    ///   - name: the kind of endpoint that this is.
    ///   - member: where the profile can name it.
    /// - Throws: ``HTTPClientError`` with code `discovery` if neither the profile nor the server names the endpoint.
    func orMissing(_ name: String, member: String) throws -> Wrapped {
        guard let self else {
            throw HTTPClientError(
                .discovery, phase: .preparing, message: "no \(name) is known",
                recoverySuggestion: """
                    name it as \(member) of the profile, or an "issuer" in its "login", choose another flow, or store tokens \
                    with --access-token - --refresh-token -
                    """)
        }
        return self
    }
}
