import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One refresh over HTTP: what to send where, and what in the answer is the new credential.
struct RefreshExchange: Sendable {
    let client: HTTPClient
    let accessToken: JSONPointer
    let refreshToken: JSONPointer
    let expiresIn: JSONPointer
    let secondsSince1970: @Sendable () -> Double

    init(
        client: HTTPClient, accessToken: JSONPointer, refreshToken: JSONPointer, expiresIn: JSONPointer,
        secondsSince1970: @escaping @Sendable () -> Double
    ) {
        var configuration = client.configuration
        // Followed, a redirect would carry the refresh token to whoever it names.
        configuration.redirectLimit = 0
        self.client = client.with(interceptors: [], configuration: configuration)
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.secondsSince1970 = secondsSince1970
    }

    /// - Parameter isRefused: whether an answer that is no success says that the refresh token is refused for good.
    func send(_ request: Request, isRefused: @escaping @Sendable (Response) -> Bool) -> Single<Credential> {
        client.send(request).map { response in
            if isRefused(response) {
                throw RefreshRefusal(
                    "the refresh endpoint \(request.url.redacted) answered \(response.status.code)",
                    response: response)
            }
            return try credential(in: try response.succeeded())
        }
    }

    private func credential(in response: Response) throws -> Credential {
        guard let document = try? JSONValue(response.body) else { throw senseless(response, "its body is no JSON") }
        guard case .string(let access)? = accessToken.value(in: document) else {
            throw senseless(response, "it has no string at \(accessToken)")
        }
        var credential = Credential(accessToken: access)
        switch refreshToken.value(in: document) {
        // An empty one is no token: some servers send it where nothing has changed.
        case nil, .null?, .string("")?: break
        case .string(let refresh)?: credential.refreshToken = refresh
        default: throw senseless(response, "what it has at \(refreshToken) is no string")
        }
        switch expiresIn.value(in: document) {
        case nil, .null?: break
        case let value?:
            guard let seconds = value.seconds, seconds.isFinite else {
                throw senseless(response, "what it has at \(expiresIn) is no number of seconds")
            }
            credential.expiresAt = secondsSince1970() + seconds
        }
        guard credential.isSendable else { throw senseless(response, "its tokens hold what no token may") }
        return credential
    }

    private func senseless(_ response: Response, _ reason: String) -> HTTPClientError {
        HTTPClientError(
            .decoding, phase: .decoding, origin: response.url.origin.description,
            message: "the refresh's answer makes no sense: \(reason); check the profile", response: response)
    }
}

extension Response {
    /// This, if its status is a success.
    fileprivate func succeeded() throws -> Response {
        if (200..<300).contains(status.code) { return self }
        let isRedirect = (300..<400).contains(status.code)
        throw HTTPClientError(
            .status, phase: .receiving, origin: url.origin.description,
            message: "the refresh endpoint answered \(status.code)"
                + (isRedirect ? "; redirects of it are not followed, name its own address" : ""), response: self)
    }
}
