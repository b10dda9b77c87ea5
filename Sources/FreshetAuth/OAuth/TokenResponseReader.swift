import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Reads the credential in a response of a token endpoint. Source: RFC 6749 section 5.1.
struct TokenResponseReader: Sendable {
    let accessToken: JSONPointer
    let refreshToken: JSONPointer
    let expiresIn: JSONPointer
    let secondsSince1970: @Sendable () -> Double

    /// The reader of a response whose members have the names of the standard.
    static func standard(secondsSince1970: @escaping @Sendable () -> Double) throws -> TokenResponseReader {
        TokenResponseReader(
            accessToken: try JSONPointer("/access_token"), refreshToken: try JSONPointer("/refresh_token"),
            expiresIn: try JSONPointer("/expires_in"), secondsSince1970: secondsSince1970)
    }

    func credential(
        in response: Response, _ check: ([String: JSONValue]) throws(MalformedTokenResponse) -> Void
    ) throws(MalformedTokenResponse) -> Credential {
        guard let document = try? JSONValue(response.body) else { throw MalformedTokenResponse("its body is no JSON") }
        guard case .string(let access)? = accessToken.value(in: document) else {
            throw MalformedTokenResponse("it has no string at \(accessToken)")
        }
        if case .object(let members) = document { try check(members) }
        // The server's clock is used if it is known, so that the gate can correct for this machine's clock.
        var credential = Credential(accessToken: access, issuedAt: response.date)
        let now = credential.issuedAt ?? secondsSince1970()
        switch refreshToken.value(in: document) {
        // Some servers send an empty string if the refresh token has not changed.
        case nil, .null?, .string("")?: break
        case .string(let refresh)?: credential.refreshToken = refresh
        default: throw MalformedTokenResponse("its value at \(refreshToken) is not a string")
        }
        switch expiresIn.value(in: document) {
        case nil, .null?: break
        case let value?:
            // A new pair is kept without an expiry, because the server may accept the old refresh token no more.
            if let seconds = value.seconds, seconds.isFinite {
                // No server issues a token that expires at once. Servers whose tokens do not expire send 0.
                if seconds != 0 { credential.expiresAt = now + seconds }
            } else if credential.refreshToken == nil {
                throw MalformedTokenResponse("its value at \(expiresIn) is not a number of seconds")
            }
        }
        credential.details = details(in: document, now: now)
        guard credential.isSendable else { throw MalformedTokenResponse("its tokens contain invalid characters") }
        return credential
    }

    /// Returns `old` with the refresh token of a response whose access token cannot be used; `nil` if the response has no new
    /// refresh token.
    func rotated(_ old: Credential?, in response: Response) -> Credential? {
        guard let old, old.refreshToken != nil, let document = try? JSONValue(response.body),
            case .string(let refresh)? = refreshToken.value(in: document), !["", old.refreshToken].contains(refresh)
        else { return nil }
        let now = response.date ?? secondsSince1970()
        var credential = Credential(
            accessToken: old.accessToken, refreshToken: refresh, expiresAt: now, issuedAt: response.date)
        credential.details.refreshExpiresAt = details(in: document, now: now).refreshExpiresAt
        return credential.isSendable ? credential : nil
    }

    private func details(in document: JSONValue, now: Double) -> CredentialDetails {
        var details = CredentialDetails()
        guard case .object(var members) = document else { return details }
        for pointer in [accessToken, refreshToken, expiresIn] {
            // Members that lead to a token are not stored as details.
            if let name = pointer.firstName { members[name] = nil }
        }
        func removeString(_ name: String) -> String? {
            guard case .string(let text)? = members[name] else { return nil }
            members[name] = nil
            return text
        }
        details.scope = removeString("scope")
        details.idToken = removeString("id_token")
        // The names are those of Keycloak and of GitHub. 0 means that the refresh token has no expiry of its own.
        for name in ["refresh_expires_in", "refresh_token_expires_in"] {
            guard let seconds = members[name]?.seconds, seconds.isFinite else { continue }
            members[name] = nil
            if seconds > 0 { details.refreshExpiresAt = now + seconds }
        }
        for name in ["access_token", "refresh_token"] { members[name] = nil }
        details.extra = members
        return details
    }
}

/// The reason why a response has no valid credential. Never contains the response's content.
struct MalformedTokenResponse: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
