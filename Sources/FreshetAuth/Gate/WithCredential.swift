public import FreshetCore
import FreshetHTTP

extension RefreshGate {
    /// Returns the stream that `source` creates from a credential. If the stream fails with an error that reports an expired
    /// credential, `source` creates it again with a new one.
    ///
    /// It fails with code `loginRequired` when the session is logged out meanwhile. Elements that were emitted before a failure
    /// are not taken back, as with `retry`. After ``Settings/maximumReplays`` repetitions it fails with an `HTTPClientError` of
    /// code `refreshStorm`. If there is no new credential, it fails with the error of ``credential(replacing:)``, whose
    /// `response` is that of the stream's error.
    ///
    /// - Parameters:
    ///   - isExpired: whether an error reports an expired credential; by default the gate's setting.
    ///   - source: creates the stream of one attempt.
    @preconcurrency
    public func withCredential<Source: ObservableConvertibleType>(
        isExpired: (@Sendable (any Error) -> Bool)? = nil,
        _ source: @escaping @Sendable (Credential) throws -> Source
    ) -> Observable<Source.Element> where Source.Element: Sendable {
        withCredential(isExpired: isExpired, waitsForLogin: true, source)
    }

    /// - Parameter waitsForLogin: whether the stream waits for a login where the settings say so.
    func withCredential<Source: ObservableConvertibleType>(
        isExpired: (@Sendable (any Error) -> Bool)?, waitsForLogin: Bool,
        _ source: @escaping @Sendable (Credential) throws -> Source
    ) -> Observable<Source.Element> where Source.Element: Sendable {
        let isExpired = isExpired ?? settings.isExpired
        return .create { observer in
            let use = CredentialUse(
                of: self, isExpired: isExpired, waitsForLogin: waitsForLogin, source: source, observer: observer)
            use.begin()
            return use
        }
    }
}

extension ObservableType {
    /// Maps each element and the current credential to a stream, and merges the streams as `flatMap` does. A stream that fails
    /// with an error that reports an expired credential is created again with a new one. See
    /// ``FreshetAuth/RefreshGate/withCredential(isExpired:_:)``.
    @preconcurrency
    public func flatMapRefreshing<Source: ObservableConvertibleType>(
        with gate: RefreshGate, isExpired: (@Sendable (any Error) -> Bool)? = nil,
        _ selector: @escaping @Sendable (Element, Credential) throws -> Source
    ) -> Observable<Source.Element> where Element: Sendable, Source.Element: Sendable {
        flatMap { element in
            gate.withCredential(isExpired: isExpired) { try selector(element, $0) }
        }
    }

    /// Subscribes to this stream again after a refresh when it fails with an error that reports an expired credential.
    ///
    /// Use it only for streams that read the credential when they are subscribed to, from ``FreshetAuth/RefreshGate/current``
    /// or elsewhere. For other streams use `flatMapRefreshing`.
    @preconcurrency
    public func refreshing(
        with gate: RefreshGate, isExpired: (@Sendable (any Error) -> Bool)? = nil
    ) -> Observable<Element> where Element: Sendable {
        let source = asObservable()
        return gate.withCredential(isExpired: isExpired) { _ in source }
    }
}

/// One subscription to a stream that needs a credential. It alternates between waiting for a credential and running the stream.
private final class CredentialUse<Source: ObservableConvertibleType>: Pausable where Source.Element: Sendable {
    private let gate: RefreshGate
    private let isExpired: @Sendable (any Error) -> Bool
    private let waitsForLogin: Bool
    private let source: @Sendable (Credential) throws -> Source
    private let observer: AnyObserver<Source.Element>
    private let session = SerialDisposable()
    private let running = SerialDisposable()

    init(
        of gate: RefreshGate, isExpired: @escaping @Sendable (any Error) -> Bool, waitsForLogin: Bool,
        source: @escaping @Sendable (Credential) throws -> Source, observer: AnyObserver<Source.Element>
    ) {
        self.gate = gate
        self.isExpired = isExpired
        self.waitsForLogin = waitsForLogin
        self.source = source
        self.observer = observer
    }

    func begin(replacing generation: Int? = nil, replays: Int = 0, after failure: (any Error)? = nil) {
        let waiting = SingleAssignmentDisposable()
        running.disposable = waiting
        let acquisition = gate.acquire(replacing: generation, waitsForLogin: waitsForLogin) { result in
            switch result {
            case .success(let credential): self.use(credential, replays: replays)
            case .failure(let refusal): self.observer.onError(refusal.clientError.about(failure))
            }
        }
        waiting.setDisposable(acquisition)
    }

    private func use(_ credential: Credential, replays: Int) {
        session.disposable = gate.whenSessionEnds(of: credential.generation) { self.observer.onError($0) }
        if gate.hasEnded(credential.generation) { return }
        let stream: Observable<Source.Element>
        do {
            stream = try source(credential).asObservable()
        } catch {
            return observer.onError(error)
        }
        let use = SingleAssignmentDisposable()
        running.disposable = use
        let subscription = stream.subscribe { event in
            guard case .error(let error) = event, self.isExpired(error) else { return self.observer.on(event) }
            guard replays < self.gate.settings.maximumReplays else {
                return self.observer.onError(HTTPClientError.refusedAgain(after: replays).about(error))
            }
            self.begin(replacing: credential.generation, replays: replays + 1, after: error)
        }
        use.setDisposable(subscription)
    }

    func dispose() {
        session.dispose()
        running.dispose()
    }

    func pause() { running.pause() }
    func resume() { running.resume() }
}

extension HTTPClientError {
    static func refusedAgain(after replays: Int) -> HTTPClientError {
        HTTPClientError(
            .refreshStorm, phase: .refreshing,
            message: "refused as expired after \(replays) refreshes",
            recoverySuggestion: "check which responses count as expired, and the account's rights")
    }

    /// Returns the error with the response and the origin of the failure that caused it.
    func about(_ failure: (any Error)?) -> HTTPClientError {
        guard let failure else { return self }
        var error = self
        if error.underlying == nil { error.underlying = failure }
        if let failure = failure as? HTTPClientError {
            error.response = failure.response
            error.origin = failure.origin
        }
        return error
    }
}
