public import FreshetAuth
import FreshetCore
import FreshetCrypto
public import FreshetHTTP

extension ClientAuthentication {
    /// The `aud` of an assertion.
    public enum Audience: Sendable, Hashable {
        /// The issuer of the authorization server, or another text that the server requires.
        case text(String)
        /// The endpoint that receives the assertion, as some servers require.
        case endpoint

        func text(for endpoint: RequestURL) -> String {
            if case .text(let text) = self { text } else { endpoint.absoluteString }
        }
    }

    /// A JWT that the client signs anew for each request. Source: RFC 7523 section 3, OpenID Connect Core section 9
    /// (`private_key_jwt`).
    ///
    /// - Parameters:
    ///   - key: the client's private key, or what signs with it.
    ///   - clientID: the client's identifier, which is issuer and subject.
    ///   - keyID: the header's `kid`.
    ///   - audience: the issuer of the server, as the draft of RFC 7523's successor requires.
    ///   - secondsSince1970: the wall clock. The assertion expires after 60 s.
    @preconcurrency
    public static func privateKeyJWT(
        key: any Signer, clientID: String, keyID: String? = nil, audience: Audience,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) -> ClientAuthentication {
        .assertion { endpoint in
            .deferred {
                let now = secondsSince1970().rounded(.down)
                let token = try JSONWebToken(
                    type: "client-authentication+jwt", header: keyID.map { ["kid": .string($0)] } ?? [:],
                    claims: [
                        "iss": .string(clientID), "sub": .string(clientID),
                        "aud": .string(audience.text(for: endpoint)),
                        "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 60)),
                        "jti": .string(SecureRandom.text(16)),
                    ], algorithm: key.algorithm)
                return token.signed(by: key)
            }
        }
    }
}
