import FreshetHTTP

/// Why there is no credential.
enum RefreshFailure: Error {
    /// The refresh failed for now.
    case failed(any Error)
    /// The refresh was refused for good.
    case refused(any Error)
    /// The same, where nobody can log in: the next request tries again.
    case denied(any Error)
    case storm
    case store(any Error)
    case loginRequired(LoginRequired)
}

extension RefreshFailure {
    /// The error that the request ends with.
    var clientError: HTTPClientError {
        switch self {
        case .failed(let error):
            HTTPClientError(
                .refreshFailed, phase: .refreshing,
                message: "the credential could not be refreshed, and is kept\(Self.reason(error)); try again later",
                underlying: error)
        case .refused(let error):
            HTTPClientError(
                .loginRequired, phase: .refreshing,
                message: "the refresh was refused\(Self.reason(error)); log in again",
                underlying: error)
        case .denied(let error):
            HTTPClientError(
                .loginRequired, phase: .refreshing,
                message: "the refresh was refused\(Self.reason(error)); check the client's id and secret",
                underlying: error)
        case .storm:
            HTTPClientError(
                .refreshStorm, phase: .refreshing,
                message: "too many refreshes in a short time; check the expired sign and the clock, then try again")
        case .store(let error):
            HTTPClientError(
                .store, phase: .storing, message: (error as? StoreError)?.message ?? "the credential store failed",
                underlying: error)
        case .loginRequired(.noCredential):
            HTTPClientError(.loginRequired, phase: .preparing, message: "no credential is stored; log in")
        case .loginRequired(.refused):
            HTTPClientError(
                .loginRequired, phase: .preparing, message: "an earlier refresh was refused; log in again")
        case .loginRequired(.loggedOut):
            HTTPClientError(.loginRequired, phase: .preparing, message: "the session was logged out; log in again")
        }
    }
}

extension RefreshFailure {
    /// The words of errors that are known to hold no secret.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: " (\(error))"
        case let error as RefreshRefusal: " (\(error))"
        case let error as AlreadyExpired: " (\(error))"
        case let error as RefreshTimeout: " (\(error))"
        default: ""
        }
    }
}

/// The refresh gave a credential that has ended already.
struct AlreadyExpired: Error, CustomStringConvertible {
    var description: String { "the new credential has already expired; check this machine's clock" }
}

/// A step of the refresh took too long.
struct RefreshTimeout: Error, CustomStringConvertible {
    let step: String
    var description: String { "no end of \(step) before the refresh's deadline" }
}
