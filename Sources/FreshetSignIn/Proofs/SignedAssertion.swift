public import FreshetAuth
import FreshetCore
import FreshetCrypto
public import FreshetHTTP

extension OAuthGrant {
    /// An assertion that the program signs anew for each request, as the service accounts of some servers require. Source: RFC
    /// 7523 sections 2.1 and 3.
    ///
    /// - Parameters:
    ///   - key: the private key of the issuer, or what signs with it.
    ///   - issuer: the party that signs.
    ///   - subject: the account that the token is for.
    ///   - audience: the authorization server, under the name that it requires.
    ///   - keyID: the header's `kid`.
    ///   - claims: further claims, such as `scope`.
    ///   - lifetime: the lifetime of an assertion; servers accept at most an hour.
    ///   - secondsSince1970: the wall clock.
    @preconcurrency
    public static func jwtBearer(
        signedBy key: any Signer, issuer: String, subject: String, audience: ClientAuthentication.Audience,
        keyID: String? = nil, claims: [String: JSONValue] = [:], lifetime: Duration = .seconds(300),
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) -> OAuthGrant {
        .jwtBearer { endpoint in
            .deferred {
                let now = secondsSince1970().rounded(.down)
                var claims = claims
                claims["iss"] = .string(issuer)
                claims["sub"] = .string(subject)
                claims["aud"] = .string(audience.text(for: endpoint))
                claims["iat"] = .number(JSONNumber(now))
                claims["exp"] = .number(JSONNumber(now + lifetime / .seconds(1)))
                claims["jti"] = .string(SecureRandom.text(16))
                let header: [String: JSONValue] = keyID.map { ["kid": .string($0)] } ?? [:]
                return try JSONWebToken(type: "JWT", header: header, claims: claims, algorithm: key.algorithm)
                    .signed(by: key)
            }
        }
    }
}
