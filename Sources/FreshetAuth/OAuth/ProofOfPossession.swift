import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Proves with each request that its sender has the key to which the tokens are bound. Source: RFC 9449.
public protocol ProofOfPossession: Sendable {
    /// Creates a private key, as PEM.
    func newKey() throws -> String

    /// Adds a proof for its method and URL to `request`. A proof can be sent once.
    ///
    /// - Parameters:
    ///   - request: the request as it is sent, after all other adapters.
    ///   - key: the private key.
    ///   - accessToken: the token of the request; `nil` for a request to a token endpoint.
    func prove(_ request: inout Request, key: String, accessToken: String?) throws

    /// Whether `response` asks for the same request with another proof.
    func isDemanded(by response: Response) -> Bool

    /// Learns from the head of a response what the next proof for `origin` must contain. Called on the transport's thread.
    ///
    /// What a token endpoint demands holds for token requests alone, also if it shares its origin with resources.
    func received(_ head: HTTPResponse, from origin: Origin, isTokenEndpoint: Bool)
}

/// Adds proofs to requests to a token endpoint.
struct ProofInterceptor: RequestInterceptor {
    private let proof: any ProofOfPossession
    private let key: String

    init(_ proof: any ProofOfPossession, key: String) {
        self.proof = proof
        self.key = key
    }

    func adapt(_ request: inout Request) -> Adaptation {
        do {
            try proof.prove(&request, key: key, accessToken: nil)
            return .ready
        } catch {
            return .failed(error)
        }
    }

    /// Retries twice: a server can refuse the time of the proof first, and then demand a nonce. One that asks more often can ask
    /// forever.
    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response(let response) = attempt.outcome, attempt.number <= 2, proof.isDemanded(by: response) else {
            return .just(.doNotRetry)
        }
        return .just(.retry)
    }

    func received(_ head: HTTPResponse, for request: Request) {
        proof.received(head, from: request.url.origin, isTokenEndpoint: true)
    }
}
