/// A running attempt, on which an interceptor can act: see ``RequestInterceptor/observe(_:of:)``.
///
/// Both methods can be called from any thread, and do nothing once the attempt is over.
public struct RequestInFlight: Sendable {
    let request: RequestCall
    let step: Int

    /// Ends the request with `error`, whether it waits for its response, waits for the retriers, or streams its body. An
    /// `HTTPClientError` gets the origin and the phase of the request.
    public func end(with error: any Error) {
        request.submit(.interrupt(error), of: step)
    }

    /// Reports the change to the subscriber, as ``RequestEvent/credentialChanged(_:)``. The response continues.
    public func report(_ change: CredentialChange) {
        request.submit(.credentialChanged(change), of: step)
    }
}

/// A change of the credential that a request went out with.
public enum CredentialChange: Sendable, Hashable {
    /// The credential has expired by the clock.
    case expired
    /// A newer credential has replaced it.
    case replaced
}
