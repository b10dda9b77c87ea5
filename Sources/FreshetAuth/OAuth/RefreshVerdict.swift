import FreshetHTTP
import HTTPTypes

/// Decides what a failed refresh means for the session. No other code decides that.
enum RefreshVerdict {
    /// Whether the response is a final refusal.
    ///
    /// - A status of 408, 429, or 500 and above is temporary, unless the response reports an expired credential.
    /// - Otherwise a member `error` decides, whatever the status, because some servers send it with a 200: the session is over
    ///   if `finalErrors` contains it, or if the rule names it.
    /// - Otherwise the statuses 400, 401 and 403 are final, and so is a response that reports an expired credential.
    ///
    /// - Parameters:
    ///   - rule: the rule for responses that report an expired credential.
    ///   - isExpired: whether a response reports an expired credential, for an authenticator that does not use the rule.
    static func isFinal(
        _ response: Response, finalErrors: Set<OAuthErrorCode> = OAuthErrorCode.final,
        _ rule: ExpiryRule = ExpiryRule(), isExpired: ((Response) -> Bool)? = nil
    ) -> Bool {
        let isExpired = isExpired ?? rule.match
        let status = response.status.code
        let refuses = [400, 401, 403].contains(status)
        if isTemporary(response) { return isExpired(response) }
        if let code = OAuthErrorCode(response) {
            // A refused client, for example, is a 401 too, so only the parts of the rule that are specific to the server count.
            return finalErrors.contains(code) || rule.matchesContent(of: response)
                || !refuses && rule.statuses.contains(status)
        }
        if (200..<300).contains(status) { return false }
        return refuses || isExpired(response)
    }

    /// Whether the status says that the same request can succeed later.
    static func isTemporary(_ response: Response) -> Bool {
        let status = response.status.code
        return status == 408 || status == 429 || status >= 500
    }

    /// The codes of a transfer that failed after the head of its response. The missing part of the body can have the `error`. A
    /// redirect that is not followed has none.
    private static let incomplete: Set<HTTPClientError.Code> = [
        .connectionLost, .timeout, .protocol, .tls, .cancelled, .tooLarge, .tooManyRedirects, .forbiddenRedirect,
    ]

    /// Whether the error of a refresh is a final refusal.
    static func isRefusal(
        _ error: any Error, _ rule: ExpiryRule = ExpiryRule(), isExpired: ((Response) -> Bool)? = nil
    ) -> Bool {
        if error is RefreshRefusal { return true }
        guard let error = error as? HTTPClientError, !(error.underlying is NonFinalResponse),
            let response = error.response,
            !incomplete.contains(error.code) || OAuthErrorCode(response) != nil
        else { return false }
        return isFinal(response, rule, isExpired: isExpired)
    }
}

/// Marks the error about a response that has already been judged as not final.
struct NonFinalResponse: Error, CustomStringConvertible {
    let code: OAuthErrorCode?
    /// The stored credential with the refresh token of the response, if nothing else of the response can be used. The server
    /// may have spent the old refresh token. The access token is the old one, and counts as expired.
    var rotated: Credential?
    var description: String { code.map { "\($0)" } ?? "no error code" }
}

extension HTTPClientError {
    /// The credential to store after this error of a refresh; see ``NonFinalResponse``.
    var rotated: Credential? { (underlying as? NonFinalResponse)?.rotated }
}
