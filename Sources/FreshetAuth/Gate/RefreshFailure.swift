import FreshetHTTP

/// The reason why the gate has no credential for a request.
enum RefreshFailure: Error {
    /// The refresh failed temporarily. If `isFirst` is true, no credential to refresh is known.
    case failed(any Error, isFirst: Bool)
    /// The refresh has succeeded, but its access token cannot be used. The rest of the new credential is stored.
    case unusable(any Error)
    /// The endpoint has failed, and the gate does not ask it again before `wait` has passed. The error is that of the last
    /// failure. If `isFirst` is true, there is no credential to refresh.
    case resting(any Error, wait: Duration, isDenied: Bool, isFirst: Bool)
    /// The server has refused the refresh. The refusal is final.
    case refused(any Error)
    /// The refresh was refused, but no person can log in: the next request tries again.
    case denied(any Error)
    /// The limit of refreshes is reached.
    case storm(limit: Int, window: Duration)
    case store(any Error)
    case loginRequired(LoginRequired)
    /// Another gate or process has emptied the store. Requests that were not sent yet can wait for its login.
    case loggedOutElsewhere
    /// The gate's runtime has been shut down.
    case ended
}

extension RefreshFailure {
    /// Whether the refresh was refused before it was sent; see ``RefreshRefusal/isOwn``.
    var isOwn: Bool {
        if case .refused(let error) = self { (error as? RefreshRefusal)?.isOwn == true } else { false }
    }

    /// The error that the request ends with.
    var clientError: HTTPClientError {
        switch self {
        case .failed(let error, let isFirst):
            HTTPClientError(
                .refreshFailed, phase: .refreshing,
                message: (isFirst
                    ? "no credential could be obtained"
                    : "the credential could not be refreshed, and is kept")
                    + Self.reason(error, omitsSuggestion: true),
                recoverySuggestion: Self.suggestion(of: error),
                underlying: error)
        case .unusable(let error):
            HTTPClientError(
                .refreshFailed, phase: .refreshing,
                message:
                    "the new access token can't be used, and the credential is stored\(Self.reason(error, omitsSuggestion: true))",
                recoverySuggestion: Self.suggestion(of: error),
                underlying: error)
        case .resting(let error, let wait, let isDenied, let isFirst):
            HTTPClientError(
                isDenied ? .loginRequired : .refreshFailed, phase: .refreshing,
                message: "no request goes to the refresh endpoint for now, because it has failed"
                    + Self.reason(error, omitsSuggestion: true) + (isFirst ? "" : ", and the credential is kept"),
                recoverySuggestion: Self.suggestion(of: error, after: wait),
                underlying: error)
        case .refused(let error):
            HTTPClientError(
                .loginRequired, phase: .refreshing,
                message: "the refresh was refused\(Self.reason(error))", recoverySuggestion: .logInAgain,
                underlying: error)
        case .denied(let error):
            HTTPClientError(
                .loginRequired, phase: .refreshing,
                message: "the refresh was refused\(Self.reason(error))",
                recoverySuggestion: "check the client's id and secret",
                underlying: error)
        case .storm(let limit, let window):
            HTTPClientError(
                .refreshStorm, phase: .refreshing,
                message: "the limit of refreshes is reached, which is \(limit) in \(Self.seconds(window)) s",
                recoverySuggestion: .allowMoreRefreshes)
        case .store(let error as UnprovenCredential):
            HTTPClientError(
                .store, phase: .preparing, message: "\(error)", recoverySuggestion: .provePossession,
                underlying: error)
        case .store(let error as StoreError):
            // Its message says what to do.
            HTTPClientError(.store, phase: .storing, message: error.message, underlying: error)
        case .store(let error):
            HTTPClientError(
                .store, phase: .storing,
                message: "the credential store failed\(Self.reason(error, omitsSuggestion: true))",
                recoverySuggestion: Self.storeSuggestion(of: error), underlying: error)
        case .ended:
            HTTPClientError(
                .cancelled, phase: .refreshing, message: "the runtime has been shut down",
                recoverySuggestion: "wait for the gate before the shutdown")
        case .loginRequired(.noCredential):
            HTTPClientError(
                .loginRequired, phase: .preparing, message: "no credential is stored", recoverySuggestion: .logIn)
        case .loginRequired(.refused):
            HTTPClientError(
                .loginRequired, phase: .preparing, message: "an earlier refresh was refused",
                recoverySuggestion: .logInAgain)
        case .loginRequired(.loggedOut), .loggedOutElsewhere:
            HTTPClientError(
                .loginRequired, phase: .preparing, message: "the session was logged out",
                recoverySuggestion: .logInAgain)
        }
    }

    var reason: any Error {
        switch self {
        case .failed(let error, _), .unusable(let error), .resting(let error, _, _, _), .refused(let error),
            .denied(let error), .store(let error):
            error
        case .storm, .loginRequired, .loggedOutElsewhere, .ended: self
        }
    }

    /// Why a login is required; `nil` if none is.
    var loginRequired: LoginRequired? {
        switch self {
        case .refused: .refused
        case .loginRequired(let reason): reason
        case .loggedOutElsewhere: .noCredential
        default: nil
        }
    }

    var isStorm: Bool {
        if case .storm = self { true } else { false }
    }

    var isDenied: Bool {
        if case .denied = self { true } else { false }
    }

    /// Whether a credential that has not expired yet stays in use.
    var keepsCredential: Bool {
        switch self {
        case .failed, .unusable, .resting, .storm, .denied, .store, .ended: true
        case .refused, .loginRequired, .loggedOutElsewhere: false
        }
    }

    var outcome: RefreshEvent.Outcome {
        switch self {
        case .failed, .unusable, .resting, .ended: .failed
        case .refused, .denied, .loginRequired, .loggedOutElsewhere: .refused
        case .storm: .storm
        case .store: .store
        }
    }
}

extension RefreshFailure {
    /// Returns the description of an error that is known to contain no secret.
    private static func reason(_ error: any Error, omitsSuggestion: Bool = false) -> String {
        switch error {
        case var error as HTTPClientError:
            if omitsSuggestion { error.recoverySuggestion = nil }
            return " (\(error))"
        case let error as RefreshRefusal: return " (\(error))"
        case let error as AlreadyExpired: return " (\(error))"
        case let error as RefreshTimeout: return " (\(error))"
        default: return ""
        }
    }

    /// The suggestion of the refresh's own error, which the message therefore leaves out.
    private static func suggestion(of error: any Error) -> HTTPClientError.RecoverySuggestion {
        if let timeout = error as? RefreshTimeout { return timeout.recoverySuggestion }
        if let repair = repair(of: error) { return "\(repair), then try again" }
        guard let own = (error as? HTTPClientError)?.recoverySuggestion else { return .tryAgainLater }
        if own.description.hasPrefix("try again") { return own }
        // The client of the refresh has ended. Its suggestion is about a request of the program's own.
        if (error as? HTTPClientError)?.code == .cancelled { return .tryAgainLater }
        // The gate sends the request for a token, and does that again.
        return .tryAgain
    }

    /// The suggestion while the endpoint is not asked.
    private static func suggestion(of error: any Error, after wait: Duration) -> HTTPClientError.RecoverySuggestion {
        let next = "try again in \(seconds(wait)) s"
        return repair(of: error).map { "\($0), then \(next)" } ?? .init(next)
    }

    /// What has to be done before another attempt can succeed; `nil` if nothing is known.
    private static func repair(of error: any Error) -> HTTPClientError.RecoverySuggestion? {
        guard let error = error as? HTTPClientError, let own = error.recoverySuggestion, error.code != .cancelled,
            own != .sendAgainIfHarmless, !own.description.hasPrefix("try again")
        else { return nil }
        return own
    }

    private static func storeSuggestion(of error: any Error) -> HTTPClientError.RecoverySuggestion {
        switch error {
        case let error as HTTPClientError: error.recoverySuggestion ?? .tryAgainLater
        case let error as RefreshTimeout: error.recoverySuggestion
        default: "look at the underlying error, which is that of the store"
        }
    }

    /// Rounds up, so that a caller that waits this long is not told to wait again.
    private static func seconds(_ wait: Duration) -> Int64 {
        wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
    }
}

/// The credential from the refresh has already expired.
struct AlreadyExpired: Error, CustomStringConvertible {
    var description: String { "the new credential has already expired; check this machine's clock" }
}

/// The authenticator can't apply the stored credential; see ``Authenticator/canApply(_:)``.
struct UnprovenCredential: Error, CustomStringConvertible {
    var description: String {
        "the stored credential is bound to a key, and requests would have no proof of possession"
    }
}

/// A step of the refresh took too long.
struct RefreshTimeout: Error, CustomStringConvertible {
    let description: String
    let recoverySuggestion: HTTPClientError.RecoverySuggestion

    init(step: String) {
        description = "no end of \(step) before the refresh's deadline"
        recoverySuggestion = .tryAgainLater
    }

    /// The store was not locked and read in time. It is not known which of the two took the time.
    ///
    /// - Parameter lock: the name of the store's lock.
    init(lock: String?) {
        let name = lock.map { " \($0)" } ?? ""
        description =
            "the store was not locked and read before the refresh's deadline; another process or gate may hold its lock\(name)"
        recoverySuggestion = "try again later, or find out who holds the lock"
    }
}
