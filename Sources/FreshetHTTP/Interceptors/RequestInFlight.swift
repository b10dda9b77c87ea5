/// An attempt that is under way, as an interceptor may act on it: see ``RequestInterceptor/watch(_:of:)``.
///
/// Both calls can come from any thread, and do nothing once the attempt is over.
public struct RequestInFlight: Sendable {
    let request: RequestCall
    let step: Int

    /// Ends the request with `error`, whether it waits for its answer, is being decided about, or streams its body. An
    /// `HTTPClientError` gets the origin and the phase of the request.
    public func end(with error: any Error) {
        request.submit(.interrupt(error), of: step)
    }

    /// Tells whoever follows the answer, as ``RequestEvent/credentialChanged(_:)``; the answer goes on.
    public func report(_ change: CredentialChange) {
        request.submit(.credentialChanged(change), of: step)
    }
}

/// What has become of the credential that a request went out with.
public enum CredentialChange: Sendable, Hashable {
    /// It has ended by the clock.
    case expired
    /// There is a newer one.
    case replaced
}
