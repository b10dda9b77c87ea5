import Freshet
import Peer

/// A client as programs have it: an authentication interceptor with a token that works, and all events.
final class Client: Sendable {
    let runtime: FreshetRuntime
    let http: HTTPClient
    let request: Request
    let streamRequest: Request?
    private let readsFiles: Bool
    /// The same client without a time limit.
    let endless: HTTPClient

    init(_ options: PeerOptions) throws {
        var configuration = FreshetRuntime.Configuration()
        configuration.loops = options.loops
        configuration.transport.pool.maximumConnections = max(options.concurrency, 64)
        configuration.transport.pool.maximumConnectionsPerOrigin = max(options.concurrency, 64)
        configuration.transport.tls.caFile = options.caFile
        configuration.client.transfer.version = options.http2 ? .http2 : .http1
        configuration.client.maximumBodySize = .max
        runtime = try FreshetRuntime(configuration: configuration)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("http://127.0.0.1:1/token"), client: runtime.refreshClient)
        let token = String(repeating: "t", count: options.tokenBytes)
        var credential = Credential(accessToken: token, refreshToken: "none")
        // Only the responses of a login that has a name are cached.
        credential.details.loginID = "peer"
        let gate = runtime.gate(store: MemoryStore(credential), authenticator: authenticator)
        let origins = [options.url, options.streamURL].compactMap { $0.flatMap { try? RequestURL($0) } }
        let authenticated = try runtime.client(
            authenticatedBy: gate, authenticator, origins: origins.map(\.origin.description))
        http = options.layers.isEmpty ? authenticated : authenticated.with(layers: try options.layers(runtime))
        readsFiles = options.cacheFolder != nil
        var endlessly = http.configuration
        endlessly.timeout = nil
        endless = http.with(configuration: endlessly)
        request = Request(
            url: try RequestURL(options.url), headers: options.fresh ? [.connection: "close"] : [:])
        streamRequest = try options.streamURL.map { url in
            var request = Request(url: try RequestURL(url))
            var transfer = TransferOptions()
            transfer.isLongLived = true
            transfer.idleTimeout = nil
            request.transfer = transfer
            return request
        }
    }

    /// One request whose answer is gathered; `ended` is given the number of the body's bytes, or `nil` if there was no right
    /// answer.
    func sendForBody(ended: @escaping @Sendable (Int?) -> Void) {
        _ = http.send(request).validate().subscribe { result in ended((try? result.get())?.body.count) }
    }

    /// One request whose answer `observer` takes as it comes.
    func send(to observer: some ObserverType<RequestEvent>) {
        let events = http.events(request).validate(statusCodes: 200..<300)
        // What a disk cache has stored comes from the threads that read files.
        _ = (readsFiles ? events.observe(on: runtime.scheduler) : events).subscribe(observer)
    }
}

extension Event<RequestEvent> {
    /// Adds what it has of the body to `bytes`.
    ///
    /// - Returns: whether the answer was right, if this is its end.
    @inline(__always)
    func isRightEnd(counting bytes: inout Int) -> Bool? {
        switch self {
        case .next(.body(let piece)): bytes += piece.count
        case .next: break
        case .error: return false
        case .completed: return true
        }
        return nil
    }
}
