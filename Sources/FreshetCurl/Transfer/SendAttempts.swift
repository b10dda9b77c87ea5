import CFreshetCurl

/// How often a request went out, and whether it may go out once more: because the server has said that it did not process it,
/// or because a kept connection had died under it.
struct SendAttempts {
    /// How a request is sent again.
    enum Resending {
        /// On any connection.
        case anywhere
        /// On a new one, since others that were kept may be as dead as the first.
        case onNewConnection
    }

    /// How often a request is sent again that the server has refused.
    static let refusalLimit = 5

    /// How often the request was put on the wire.
    private(set) var count = 0
    /// How often of these since libcurl was given it last.
    private var countOfLibcurl = 0
    /// How often the server has said that it did not process it.
    private(set) var refusals = 0
    /// It was sent again after a kept connection had died under it.
    private var wasSentAgain = false
    /// Nothing but a refusal has libcurl send it again.
    private var isGuarded = false

    var areRefusedTooOften: Bool { refusals >= Self.refusalLimit }

    /// libcurl is given the request.
    ///
    /// - Parameter isGuarded: whether nothing but a refusal has libcurl send it again; see `SilentResendGuard`.
    mutating func begin(isGuarded: Bool) {
        self.isGuarded = isGuarded
        countOfLibcurl = 0
    }

    /// The request is about to go out; libcurl says so once more where it sends it again by itself.
    ///
    /// - Parameter isResendable: see `Request.isResendable`.
    /// - Returns: whether it may.
    mutating func requestSent(isIdempotent: Bool, isResendable: Bool = true) -> Bool {
        count += 1
        countOfLibcurl += 1
        guard countOfLibcurl > 1 else { return true }
        guard isResendable else {
            count -= 1
            return false
        }
        if isGuarded {
            // Only a refusal has libcurl send it again. Source: RFC 9113 section 8.7.
            refusals += 1
            return refusals <= Self.refusalLimit
        }
        // Without the guard libcurl sends again whatever died on a kept connection.
        return count == 2 && isIdempotent
    }

    /// It did not go out after all.
    mutating func withdraw() { count -= 1 }

    /// It begins from the beginning, since the server wants it otherwise.
    mutating func beginAnew() { count = 0 }

    /// How the request goes out again that the server has refused on an HTTP/2 connection; `nil` if it was refused too often.
    mutating func resendingRefused() -> Resending? {
        guard !areRefusedTooOften else { return nil }
        refusals += 1
        return .anywhere
    }

    /// How an idempotent request goes out again that a kept connection has died under; `nil` if one has before.
    mutating func resendingLost(after code: CURLcode, sharesConnection: Bool) -> Resending? {
        guard !wasSentAgain, Self.isLoss(code) else { return nil }
        wasSentAgain = true
        return sharesConnection ? .anywhere : .onNewConnection
    }

    /// The codes with which libcurl reports a connection that ended before a byte of the response. It reports some as success.
    private static func isLoss(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2: true
        default: false
        }
    }
}
