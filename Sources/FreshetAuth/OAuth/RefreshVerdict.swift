import FreshetHTTP
import HTTPTypes

/// What a response of a refresh endpoint without a credential means for the session. No other code decides that.
enum RefreshVerdict {
    /// Whether the refresh is refused for good.
    ///
    /// - A status of 408, 429, or 500 and above is temporary, unless the response carries the sign of an expired credential.
    /// - Otherwise a member `error` decides, whatever the status, because some servers send it with a 200: the session is
    ///   over if `finalErrors` contains it, or if the rule names it.
    /// - Otherwise 400, 401 and 403 refuse, and the sign of an expired credential.
    ///
    /// - Parameters:
    ///   - rule: the sign of an expired credential.
    ///   - isExpired: whether a response carries that sign, where an authenticator does not go by the rule.
    static func isFinal(
        _ response: Response, finalErrors: Set<OAuthErrorCode> = OAuthErrorCode.final,
        _ rule: ExpiryRule = ExpiryRule(), isExpired: ((Response) -> Bool)? = nil
    ) -> Bool {
        let isExpired = isExpired ?? rule.match
        let status = response.status.code
        let refuses = [400, 401, 403].contains(status)
        if status == 408 || status == 429 || status >= 500 { return isExpired(response) }
        if let code = OAuthErrorCode(response) {
            // A refused client, for example, is a 401 too: of the rule only what is particular to the server counts.
            return finalErrors.contains(code) || rule.matchesContent(of: response)
                || !refuses && rule.statuses.contains(status)
        }
        if (200..<300).contains(status) { return false }
        return refuses || isExpired(response)
    }

    /// Whether `error`, with which a refresh failed, says that it is refused for good.
    static func isRefusal(
        _ error: any Error, _ rule: ExpiryRule = ExpiryRule(), isExpired: ((Response) -> Bool)? = nil
    ) -> Bool {
        if error is RefreshRefusal { return true }
        guard let error = error as? HTTPClientError, !(error.underlying is NonFinalResponse),
            let response = error.response
        else { return false }
        return isFinal(response, rule, isExpired: isExpired)
    }
}

/// Marks the error about a response that has been judged already and is not final.
struct NonFinalResponse: Error, CustomStringConvertible {
    let code: OAuthErrorCode?
    var description: String { code.map { "\($0)" } ?? "no error code" }
}
