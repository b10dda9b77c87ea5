import FoundationEssentials
import FreshetHTTP

/// The claims of a JWT whose signature has not been verified. They help to plan refreshes, and must never be trusted. Source:
/// RFC 7519 section 4.1.
struct UnverifiedClaims {
    private let members: [String: JSONValue]

    /// Reads the claims of `token`; `nil` for an opaque or encrypted token, and for a large one.
    init?(of token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count <= 64 * 1024, let claims = Self.decoded(parts[1]),
            case .object(let members)? = try? JSONValue(claims)
        else { return nil }
        self.members = members
    }

    /// Decodes base64url without padding. Source: RFC 4648 section 5.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        let base64 = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: String(base64) + padding).map(Array.init)
    }

    /// The account, which is unique within its issuer.
    var subject: String? {
        guard case .string(let subject)? = members["sub"] else { return nil }
        guard case .string(let issuer)? = members["iss"] else { return subject }
        return "\(issuer) \(subject)"
    }

    /// Returns when the token expires, in seconds since 1970, on a clock that shows `now`; `nil` if that is not later than
    /// `now`.
    func end(at now: Double) -> Double? {
        guard let end = members["exp"]?.seconds, end.isFinite, end > now else { return nil }
        // A slow clock must not extend the lifetime of a token. A token that is issued after its end says nothing of that.
        guard let issued = members["iat"]?.seconds, issued < end else { return end }
        return min(end, now + (end - issued))
    }
}

extension CredentialDetails {
    /// The account of the ID token.
    var subject: String? { idToken.flatMap(UnverifiedClaims.init)?.subject }
}
