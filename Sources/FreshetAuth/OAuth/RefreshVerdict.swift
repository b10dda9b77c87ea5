import FreshetHTTP
import HTTPTypes

/// What the answer of a refresh endpoint that brings no credential means for the session. The one place where that stands.
enum RefreshVerdict {
    /// Whether the refresh is refused for good.
    ///
    /// - 408, 429 and 500 and above pass, whatever the body says, unless they carry the sign of an ended credential.
    /// - Else a registered `error` decides, whatever the status: some servers send it with a 200.
    /// - Else 400, 401 and 403 refuse, and the sign of an ended credential.
    ///
    /// - Parameter sign: whether it carries the sign of an ended credential.
    static func isFinal(
        _ response: Response, finalErrors: Set<OAuthErrorCode> = OAuthErrorCode.final, sign: (Response) -> Bool
    ) -> Bool {
        let status = response.status.code
        if status == 408 || status == 429 || status >= 500 { return sign(response) }
        if let code = OAuthErrorCode(response) { return finalErrors.contains(code) }
        if (200..<300).contains(status) { return false }
        return [400, 401, 403].contains(status) || sign(response)
    }

    /// Whether `error`, with which a refresh failed, says that it is refused for good.
    static func isRefusal(_ error: any Error, sign: (Response) -> Bool = { _ in false }) -> Bool {
        if error is RefreshRefusal { return true }
        guard let error = error as? HTTPClientError, !(error.underlying is NonFinalResponse),
            let response = error.response
        else { return false }
        return isFinal(response, sign: sign)
    }
}

/// The mark on the error about an answer that has been judged already, and is not final.
struct NonFinalResponse: Error, CustomStringConvertible {
    let code: OAuthErrorCode?
    var description: String { code?.rawValue ?? "no registered error" }
}
