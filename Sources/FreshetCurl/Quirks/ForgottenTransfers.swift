import CFreshetCurl

/// libcurl 7.88 does not continue some transfers that wait for time to pass.
///
/// When it leaves a silent address, it closes the socket, and opens the one for the next address only when something else makes it
/// continue the transfer. When one of the transfer's timers fires, it forgets the others that are due within a millisecond, such as
/// the one for `100 Continue`.
///
/// - Affected: 7.88.1, which Debian 12 has. 8.14.1 continues. The versions between were not tried, and this does no harm to them.
/// - Done: while a connection is made that can leave an address, or a body waits for `100 Continue`, the transfer is paused and
///   resumed every 50 ms.
/// - Checked: the version, once.
/// - Without it: a connection is made to the first address of a family or to none, and some bodies are never sent.
/// - Upstream: fixed between 7.88.1 and 8.14.1.
/// - Delete it when 8.14 is the oldest libcurl that is supported.
enum ForgottenTransfers {
    static let isActive = !Quirks.areOff && CurlVersion.number < 0x08_0E_00
    static let span = Duration.milliseconds(50)
}

extension CurlMulti {
    /// A transfer begins to make a connection, or to wait for `100 Continue`.
    func watchForgotten() {
        if ForgottenTransfers.isActive { forgottenCheck.start() }
    }

    /// Lets libcurl continue the transfers that it can have forgotten.
    ///
    /// - Returns: whether there is such a transfer.
    func continueForgotten() -> Bool {
        let waiting = state.handles.active.filter(\.canBeForgotten)
        for easy in waiting {
            inCurl {
                _ = curl_easy_pause(easy.raw, freshet_pause_sending)
                _ = curl_easy_pause(easy.raw, freshet_pause_none)
            }
        }
        return !waiting.isEmpty
    }
}

extension CurlEasy {
    fileprivate var canBeForgotten: Bool {
        // A resume would also resume a response that its receiver has paused.
        guard let transfer, !transfer.state.isHeld else { return false }
        return state.opening.isEmpty
            ? transfer.state.isWaitingForContinue : transfer.state.hasAlternatives || transfer.state.expectsContinue
    }
}
