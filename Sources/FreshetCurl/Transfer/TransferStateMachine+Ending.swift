import CFreshetCurl
import FreshetHTTP
import HTTPTypes

// What becomes of a transfer that libcurl has done with.
extension TransferStateMachine {
    /// libcurl has done with the transfer.
    struct Completion {
        let code: CURLcode
        /// Nobody waits for the response any more.
        let isDisposed: Bool
        /// The process has no descriptors left, and that may be why.
        let lacksDescriptors: Bool
        /// What was left on the connection when sending failed.
        let pendingResponse: [UInt8]
        /// Whether the connection ended without TLS saying so.
        let isCutOff: Bool
        /// Whether another request of the connection was refused in the same turn.
        let isBesideRefused: Bool
    }

    mutating func completed(_ completion: Completion) -> [Action] {
        var rest: [Action] = []
        if completion.code == CURLE_SEND_ERROR, !completion.isDisposed {
            if received(rest: completion.pendingResponse, &rest) { return rest + [.leave(keepsHandle: false, nil)] }
        }
        return rest + conclusion(of: completion)
    }

    private mutating func conclusion(of completion: Completion) -> [Action] {
        let code = completion.code
        if code != CURLE_OK, sendAttempts.count == 0, connection.lacksDescriptors || completion.lacksDescriptors {
            return [.waitForDescriptors]
        }
        if code != CURLE_OK, expectation.wantsAnotherTry, !completion.isDisposed {
            beginAnewWithoutExpectation()
            return [.launch]
        }
        if !completion.isDisposed, let resending = resending(after: completion) {
            connection.mustBeNew = resending == .onNewConnection
            return [.sendAgain]
        }
        // One that was sent twice may have been refused, which libcurl does not forget with the next request.
        let keepsHandle = code == CURLE_OK && sendAttempts.count < 2
        if completion.isDisposed { return [.leave(keepsHandle: keepsHandle, nil)] }
        if let failure { return [.leave(keepsHandle: keepsHandle, failure)] }
        // A response that is complete counts, whatever becomes of its stream afterwards. Source: RFC 9113 section 8.1.
        if response.endsItself || Self.endsConnection(code), response.isPlainlyWhole {
            return [.leave(keepsHandle: keepsHandle, nil)]
        }
        // What is left of the request's body interests nobody who has answered.
        if code == CURLE_OK || (code == CURLE_SEND_ERROR && isAnswered) {
            return [.leave(keepsHandle: keepsHandle, shortfall(isCutOff: completion.isCutOff))]
        }
        return [.explainFailure(code)]
    }

    /// The end of a transfer all of whose body has come, while libcurl waits for the end of the connection.
    ///
    /// - Returns: `nil` if it goes on.
    var endOfWhole: Action? {
        guard isRunning, response.coded?.hasAll == true, !isHeld, easy != nil else { return nil }
        return .leave(keepsHandle: false, failure ?? shortfall(isCutOff: false))
    }

    mutating func ended(_ failure: (any Error)?) -> [Action] {
        stage = .ended
        holder = .nobody
        if failure == nil, let trailers = response.trailers { return [.deliver(.trailers(trailers)), .end(nil)] }
        return [.end(failure)]
    }

    // MARK: Once more

    /// Whether and how the request goes out again.
    private mutating func resending(after completion: Completion) -> SendAttempts.Resending? {
        if connection.mustBeNew { return .onNewConnection }
        guard failure == nil, sendAttempts.count > 0, stage != .receiving, canBeRepeated else { return nil }
        if sharesConnection, RefusedStreams.isRefusal(completion.code, besideRefused: completion.isBesideRefused),
            let resending = sendAttempts.resendingRefused()
        {
            return resending
        }
        guard !connection.isNew, request.method.isIdempotent else { return nil }
        return sendAttempts.resendingLost(after: completion.code, sharesConnection: sharesConnection)
    }

    private mutating func beginAnewWithoutExpectation() {
        expectation.wantsAnotherTry = false
        request.headers[.expect] = nil
        response.forgetHead()
        sendAttempts.beginAnew()
        connection.forget()
        failure = nil
    }

    // MARK: How it ended

    /// Whether libcurl reports nothing wrong with the response itself.
    private static func endsConnection(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: true
        default: false
        }
    }

    /// Whether the whole answer is known to have come.
    private var isAnswered: Bool {
        guard stage == .receiving, upload != nil, response.coded == nil, let length = response.contentLength else {
            return false
        }
        return response.received >= length
    }

    private func shortfall(isCutOff: Bool) -> HTTPClientError? {
        response.shortfall(isCutOff: isCutOff).map { code, message, recoverySuggestion in
            error(code, message, recoverySuggestion, in: code == .decoding ? .decoding : nil)
        }
    }

    /// What is told of a failure that libcurl reports.
    ///
    /// - Parameter isCutOff: whether the connection ended without TLS saying so.
    func failure(after code: CURLcode, in context: FailureContext, isCutOff: Bool) -> HTTPClientError {
        if code == CURLE_OUT_OF_MEMORY || code == freshet_curle_too_large, response.coded != nil {
            return error(.tooLarge, "too much was unpacked while the response was held", .askUncompressed)
        }
        if sendAttempts.areRefusedTooOften, !response.hasHead { return refusedTooOften }
        let reported = CurlError(code: UInt32(code.rawValue))
        let (kind, message, recoverySuggestion) = reported.meaning(in: context)
        // nghttp2 says the same of one that is cut short, which another try may mend.
        if kind == .protocol, code == CURLE_HTTP2_STREAM, response.hasHead,
            let shortfall = shortfall(isCutOff: isCutOff)
        {
            return shortfall
        }
        let isLost = kind == .connectionLost && sendAttempts.count > 0 && stage != .receiving
        if isLost, !connection.isNew, code != CURLE_HTTP2_STREAM { return lostOnKept }
        let phase: HTTPClientError.Phase? =
            switch kind {
            case .tls: .securing
            // What the proxy answered came before TLS.
            case .connect: .connecting
            case .decoding: .decoding
            default: nil
            }
        var failure = error(kind, message, recoverySuggestion, in: phase)
        failure.underlying = reported
        return failure
    }
}
