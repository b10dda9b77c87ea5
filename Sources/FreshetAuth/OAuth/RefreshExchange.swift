import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Performs a refresh over HTTP, and reads the new credential from the response.
struct RefreshExchange: Sendable {
    /// The longest response that is read, in bytes.
    private static let longestResponse = 1 << 20

    private let client: HTTPClient
    private let reader: TokenResponseReader

    init(client: HTTPClient, reader: TokenResponseReader) {
        self.client = Self.plain(client)
        self.reader = reader
    }

    /// Returns `client` in a form that is safe for secrets that are meant for one address. It has no interceptors, because they
    /// would apply the expired credential or wait for the new one. It follows no redirects, because they can lead to any server.
    static func plain(_ client: HTTPClient, interceptors: [any RequestInterceptor] = []) -> HTTPClient {
        var configuration = client.configuration
        configuration.redirectLimit = 0
        configuration.maximumBodySize = min(configuration.maximumBodySize, longestResponse)
        return client.with(interceptors: interceptors, configuration: configuration)
    }

    /// Sends a refresh and reads the credential from its response.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint, for error messages.
    ///   - old: the credential that the refresh replaces.
    ///   - rule: the rule for responses that report an expired credential. Such a response refuses the refresh.
    ///   - oauth: the client, for error messages.
    ///   - check: throws if the JSON of the response is invalid.
    ///   - complete: adds to the credential what the response does not contain.
    ///   - send: sends the request.
    func credential(
        from endpoint: RequestURL, replacing old: Credential?,
        finalErrors: Set<OAuthErrorCode> = OAuthErrorCode.final, by rule: ExpiryRule,
        client oauth: OAuthClient? = nil,
        check: @escaping @Sendable ([String: JSONValue]) throws(MalformedTokenResponse) -> Void = { _ in },
        complete: @escaping @Sendable (Credential) -> Credential = { $0 },
        send: @escaping @Sendable (HTTPClient) -> Single<Response>
    ) -> Single<Credential> {
        send(client).catch { .error(Self.explained($0)) }.map { [reader] response in
            if RefreshVerdict.isFinal(response, finalErrors: finalErrors, rule) {
                throw RefreshRefusal(
                    Self.summarize(response, from: endpoint), code: OAuthErrorCode(response), response: response)
            }
            guard (200..<300).contains(response.status.code), !Self.isError(response) else {
                throw Self.failure(response, from: endpoint, oauth)
            }
            do throws(MalformedTokenResponse) {
                let credential = try reader.credential(in: response, check)
                guard !credential.isExpired(at: credential.issuedAt ?? reader.secondsSince1970()) else {
                    throw MalformedTokenResponse("by its value at \(reader.expiresIn) its token has already expired")
                }
                return complete(credential)
            } catch {
                let rotated = reader.rotated(old, in: response).map(complete)
                throw HTTPClientError(
                    .decoding, phase: .decoding, origin: response.url.origin.description,
                    message: "the response to the refresh makes no sense: \(error.reason)",
                    recoverySuggestion: "check the settings of the refresh endpoint",
                    underlying: NonFinalResponse(code: OAuthErrorCode(response), rotated: rotated), response: response)
            }
        }
    }

    /// Returns the error with what helps. No setting raises the limit of ``longestResponse``.
    private static func explained(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError, error.code == .tooLarge else { return error }
        error.recoverySuggestion = "check the address of the refresh endpoint"
        return error
    }

    /// Whether the response is an error. Some servers report errors with a status of 200.
    private static func isError(_ response: Response) -> Bool {
        guard case .object(let members)? = try? JSONValue(response.body) else { return false }
        return members["access_token"] == nil && OAuthErrorCode(response) != nil
    }

    private static func summarize(_ response: Response, from endpoint: RequestURL) -> String {
        "the refresh endpoint \(endpoint.redacted) responded with \(response.statusAndError)"
    }

    private static func failure(
        _ response: Response, from endpoint: RequestURL, _ oauth: OAuthClient?
    ) -> HTTPClientError {
        let code = OAuthErrorCode(response)
        var message = summarize(response, from: endpoint)
        var suggestion: HTTPClientError.RecoverySuggestion?
        if (300..<400).contains(response.status.code) {
            suggestion = "redirects of it are not followed, name its own address"
        } else if code == .invalidClient, let oauth {
            message += " to a client with \(oauth.methodName)"
            suggestion = "check the client's identifier and secret, and its way to prove itself (client_auth)"
        } else if oauth != nil, !RefreshVerdict.isTemporary(response), let advice = code.flatMap(advice) {
            suggestion = advice
        } else if [404, 405, 410].contains(response.status.code) {
            suggestion = "check the address of the refresh endpoint"
        }
        return HTTPClientError(
            .status, phase: .receiving, origin: response.url.origin.description, message: message,
            recoverySuggestion: suggestion, underlying: NonFinalResponse(code: code), response: response)
    }

    /// What to do about an error that another attempt of the same request gets again. Source: RFC 6749 section 5.2.
    private static func advice(_ code: OAuthErrorCode) -> HTTPClientError.RecoverySuggestion? {
        switch code {
        case .invalidScope: .checkTokenScopes
        case .unauthorizedClient: .checkClientRights
        case .invalidRequest, .invalidTarget: .checkTokenParameters
        case .unsupportedGrantType: .checkGrant
        default: nil
        }
    }
}
