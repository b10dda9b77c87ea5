/// Whether anything of a request was sent, or may have been, in all of its attempts and the hops of its redirects, and whether
/// one of them was made in place of the transport.
///
/// The error of an attempt is about that attempt, and a retrier decides by it. The caller sends the whole request again.
struct SendHistory {
    /// Whether an attempt or a hop that is over, or that has its response, was sent.
    private var wasSent = false
    /// Whether the current one has gone out, so that its own error says whether it was sent.
    private var isUnderWay = false
    /// The phase that the current one has reached; `nil` if the transport has reported none.
    private var phase: HTTPClientError.Phase?
    /// Whether the client has made another attempt in place of the transport.
    private var hasNewAttempt = false
    /// Whether that attempt is the next one.
    private(set) var isNewAttemptDue = false

    mutating func begin() { (isUnderWay, phase, isNewAttemptDue) = (true, nil, false) }

    /// The transport gets the current attempt or hop once more. A layer that sends a request twice hides its phases. So without a
    /// phase after the connection, it is unknown whether the first copy was sent.
    mutating func beginAgain() {
        if isConnecting { phase = nil }
    }

    /// The current attempt or hop has reached this phase. One that was sent once stays sent, also if the transport then looks for
    /// another connection.
    mutating func reach(_ next: HTTPClientError.Phase) {
        if phase?.isBeforeSending ?? true { phase = next }
    }

    /// Whether the current attempt or hop still waits for its connection.
    var isConnecting: Bool { isUnderWay && phase?.isBeforeSending == true }

    /// The current attempt or hop has its response, has ended, or is followed by another.
    mutating func end(isUnsent: Bool = false) {
        if isUnderWay, !isUnsent { wasSent = true }
        isUnderWay = false
    }

    /// Returns whether the client makes another attempt in place of the transport, which it does once.
    mutating func takeNewAttempt(after outcome: Attempt.Outcome) -> Bool {
        guard isUnderWay, !hasNewAttempt, case .failure(let error as HTTPClientError) = outcome, error.needsNewAttempt
        else { return false }
        (hasNewAttempt, isNewAttemptDue) = (true, true)
        return true
    }

    /// Whether nothing was sent, if the request ends with `error` now.
    ///
    /// - Parameter isStored: whether a cache delivers the response, so that nothing had to be sent.
    func isUnsent(_ error: HTTPClientError, isStored: Bool) -> Bool {
        if wasSent { return false }
        return error.isUnsent || (!isUnderWay && !isStored)
    }
}
