import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One refresh over HTTP: what to send where, and what in the answer is the new credential.
struct RefreshExchange: Sendable {
    /// The longest answer that is read, in bytes.
    private static let longestResponse = 1 << 20

    private let client: HTTPClient
    private let accessToken: JSONPointer
    private let refreshToken: JSONPointer
    private let expiresIn: JSONPointer
    private let secondsSince1970: @Sendable () -> Double

    init(
        client: HTTPClient, accessToken: JSONPointer, refreshToken: JSONPointer, expiresIn: JSONPointer,
        secondsSince1970: @escaping @Sendable () -> Double
    ) {
        self.client = Self.plain(client)
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.secondsSince1970 = secondsSince1970
    }

    /// `client` as it is right for secrets that are meant for one address: without interceptors, which would put the ended
    /// credential on or wait for the new one, and without following redirects, which lead wherever the answer says.
    static func plain(_ client: HTTPClient, interceptors: [any RequestInterceptor] = []) -> HTTPClient {
        var configuration = client.configuration
        configuration.redirectLimit = 0
        configuration.maximumBodySize = min(configuration.maximumBodySize, longestResponse)
        return client.with(interceptors: interceptors, configuration: configuration)
    }

    /// - Parameters:
    ///   - sign: whether an answer carries the sign of an ended credential.
    ///   - check: throws what is wrong with the answer's JSON, if anything is.
    func send(
        _ request: Request, finalErrors: Set<OAuthErrorCode> = OAuthErrorCode.final,
        sign: @escaping @Sendable (Response) -> Bool,
        check: @escaping @Sendable (JSONValue) throws(MalformedTokenResponse) -> Void = { _ in }
    ) -> Single<Credential> {
        client.send(request).map { response in
            if RefreshVerdict.isFinal(response, finalErrors: finalErrors, sign: sign) {
                throw RefreshRefusal(
                    Self.summarize(response, by: request), code: OAuthErrorCode(response), response: response)
            }
            guard (200..<300).contains(response.status.code) else { throw Self.failure(response, of: request) }
            do throws(MalformedTokenResponse) {
                return try credential(in: response, check)
            } catch {
                throw HTTPClientError(
                    .decoding, phase: .decoding, origin: response.url.origin.description,
                    message: "the refresh's answer makes no sense: \(error.reason)",
                    recoverySuggestion: "check the profile",
                    underlying: NonFinalResponse(code: OAuthErrorCode(response)), response: response)
            }
        }
    }

    private func credential(
        in response: Response, _ check: (JSONValue) throws(MalformedTokenResponse) -> Void
    ) throws(MalformedTokenResponse) -> Credential {
        guard let document = try? JSONValue(response.body) else { throw MalformedTokenResponse("its body is no JSON") }
        guard case .string(let access)? = accessToken.value(in: document) else {
            throw MalformedTokenResponse("it has no string at \(accessToken)")
        }
        try check(document)
        // With the server's clock, if that is known, so that the gate can tell how far this machine's is from it.
        var credential = Credential(accessToken: access, issuedAt: response.date)
        switch refreshToken.value(in: document) {
        // An empty one is no token: some servers send it where nothing has changed.
        case nil, .null?, .string("")?: break
        case .string(let refresh)?: credential.refreshToken = refresh
        default: throw MalformedTokenResponse("what it has at \(refreshToken) is no string")
        }
        switch expiresIn.value(in: document) {
        case nil, .null?: break
        case let value?:
            guard let seconds = value.seconds, seconds.isFinite else {
                throw MalformedTokenResponse("what it has at \(expiresIn) is no number of seconds")
            }
            // Nobody issues a token that ends as it comes. Servers whose tokens do not end say 0.
            if seconds != 0 { credential.expiresAt = (credential.issuedAt ?? secondsSince1970()) + seconds }
        }
        guard credential.isSendable else { throw MalformedTokenResponse("its tokens hold what no token may") }
        return credential
    }

    private static func summarize(_ response: Response, by request: Request) -> String {
        "the refresh endpoint \(request.url.redacted) answered \(response.told)"
    }

    private static func failure(_ response: Response, of request: Request) -> HTTPClientError {
        let isRedirect = (300..<400).contains(response.status.code)
        return HTTPClientError(
            .status, phase: .receiving, origin: response.url.origin.description,
            message: summarize(response, by: request),
            recoverySuggestion: isRedirect ? "redirects of it are not followed, name its own address" : nil,
            underlying: NonFinalResponse(code: OAuthErrorCode(response)), response: response)
    }
}

/// What is wrong with an answer that says it brings a credential. Never its content.
struct MalformedTokenResponse: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
