import CFreshetCurl

/// The number of times that a request was sent, and whether it may be sent again: because the server has reported that it did not
/// process the request, or because the request's kept connection has ended.
struct SendAttempts {
    /// How a request is sent again.
    enum Resending {
        /// On any connection.
        case anywhere
        /// On a new connection, because other kept connections may have ended too.
        case onNewConnection
    }

    /// How many times a request that the server refuses is sent again.
    static let refusalLimit = 5

    /// The number of times that the request was sent.
    private(set) var count = 0
    /// The number of times that it was sent since libcurl last got it.
    private var countOfLibcurl = 0
    /// The number of times that the server has refused to process it.
    private(set) var refusals = 0
    /// Whether the request was sent again after its kept connection had ended.
    private var wasSentAgain = false
    /// Whether libcurl sends it again only after a refusal.
    private(set) var isGuarded = false

    var areRefusedTooOften: Bool { refusals >= Self.refusalLimit }

    /// How many refusals the message names. The one that ends the request is not always counted, because libcurl can report it as
    /// another failure.
    var reportedRefusals: Int { areRefusedTooOften ? Self.refusalLimit + 1 : refusals }

    /// libcurl gets the request.
    ///
    /// - Parameter isGuarded: whether libcurl sends it again only after a refusal; see `SilentResendGuard`.
    mutating func begin(isGuarded: Bool) {
        self.isGuarded = isGuarded
        countOfLibcurl = 0
    }

    /// The request is about to be sent. libcurl reports that again if it sends the request again by itself.
    ///
    /// - Parameter isResendable: see `Request.isResendable`.
    /// - Returns: whether the request may be sent.
    mutating func requestSent(isIdempotent: Bool, isResendable: Bool = true) -> Bool {
        count += 1
        countOfLibcurl += 1
        guard countOfLibcurl > 1 else { return true }
        guard isResendable else {
            count -= 1
            return false
        }
        if isGuarded {
            // libcurl sends it again only after a refusal. Source: RFC 9113 section 8.7.
            refusals += 1
            return refusals <= Self.refusalLimit
        }
        // Without the guard, libcurl repeats every request whose kept connection has ended.
        return count == 2 && isIdempotent
    }

    /// The request was not sent after all.
    mutating func withdraw() { count -= 1 }

    /// The request starts from the beginning, because the server wants it in another form.
    mutating func reset() { count = 0 }

    /// How a request is sent again that the server has refused on an HTTP/2 connection; `nil` if it was refused too often.
    mutating func resendingRefused() -> Resending? {
        guard !areRefusedTooOften else { return nil }
        refusals += 1
        return .anywhere
    }

    /// How an idempotent request is sent again after its kept connection has ended; `nil` if that happened before. A server that
    /// restarts ends all its connections, one after the other.
    mutating func resendingLost(after code: CURLcode) -> Resending? {
        guard !wasSentAgain, Self.isLoss(code) else { return nil }
        wasSentAgain = true
        return .onNewConnection
    }

    /// Whether libcurl reports with `code` that a connection ended before the first byte of the response. It reports some
    /// of these ends as success.
    private static func isLoss(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2: true
        default: false
        }
    }
}
