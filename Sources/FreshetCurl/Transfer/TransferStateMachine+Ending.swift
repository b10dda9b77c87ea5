import CFreshetCurl
import FreshetHTTP
import HTTPTypes

// The end of a transfer that libcurl has finished with.
extension TransferStateMachine {
    /// The end of a transfer, as libcurl reports it.
    struct Completion {
        let code: CURLcode
        /// Whether the caller has cancelled the transfer.
        let isDisposed: Bool
        /// Whether the process has no descriptors left, which can be the reason.
        let lacksDescriptors: Bool
        /// The bytes that were left on the connection when sending failed.
        let pendingResponse: [UInt8]
        /// Whether the connection ended without a `close_notify` of TLS.
        let isCutOff: Bool
        /// Whether the server refused another request of the connection in the same turn of the loop.
        let isBesideRefused: Bool
    }

    /// What the pool does with an admitted transfer that libcurl has finished with.
    enum Conclusion {
        case launch
        case sendAgain
        case waitForDescriptors
        case explainFailure(CURLcode)
        /// Ends the transfer. The pool takes its handle back, which serves another transfer if `keepsHandle` is set.
        case leave(keepsHandle: Bool, (any Error)?)
    }

    mutating func completed(_ completion: Completion) -> [Action] {
        var rest: [Action] = []
        if completion.code == CURLE_SEND_ERROR, !completion.isDisposed {
            if received(rest: completion.pendingResponse, &rest) {
                return rest + [.conclude(.leave(keepsHandle: false, nil))]
            }
        }
        return rest + [.conclude(conclusion(of: completion))]
    }

    private mutating func conclusion(of completion: Completion) -> Conclusion {
        let code = completion.code
        if code != CURLE_OK, sendAttempts.count == 0, connection.lacksDescriptors || completion.lacksDescriptors {
            return .waitForDescriptors
        }
        if code != CURLE_OK, expectation == .refused(isRetryDue: true), !completion.isDisposed {
            retryWithoutExpectation()
            return .launch
        }
        if !completion.isDisposed, let resending = resending(after: completion) {
            connection.mustBeNew = resending == .onNewConnection
            return .sendAgain
        }
        // The server may have refused a stream of a request that was sent twice. The handle would carry that state into its next
        // request.
        let keepsHandle = code == CURLE_OK && sendAttempts.count < 2
        if completion.isDisposed { return .leave(keepsHandle: keepsHandle, nil) }
        if let failure { return .leave(keepsHandle: keepsHandle, failure) }
        // A complete response counts, whatever happens to its stream afterwards. Source: RFC 9113 section 8.1.
        if response.isSelfDelimiting || Self.endsConnection(code), response.isWhole {
            return .leave(keepsHandle: keepsHandle, nil)
        }
        // A server that has responded completely does not need the rest of the request's body.
        if code == CURLE_OK || (code == CURLE_SEND_ERROR && isAnswered) {
            return .leave(keepsHandle: keepsHandle, shortfall(isCutOff: completion.isCutOff))
        }
        return .explainFailure(code)
    }

    /// The end of a transfer whose body is complete, while libcurl waits for the end of the connection.
    ///
    /// - Returns: `nil` if the transfer goes on.
    var endOfWhole: Conclusion? {
        guard isRunning, response.coded?.hasAll == true, !isHeld, easy != nil else { return nil }
        return .leave(keepsHandle: false, failure ?? shortfall(isCutOff: false))
    }

    mutating func ended(_ failure: (any Error)?) -> [Action] {
        stage = .ended
        holder = .nobody
        var actions = deliverPieces()
        if failure == nil, let trailers = response.trailers { actions.append(.deliver(.trailers(trailers))) }
        actions.append(.end(failure))
        return actions
    }

    // MARK: Sending again

    /// How the request is sent again; `nil` if it is not.
    private mutating func resending(after completion: Completion) -> SendAttempts.Resending? {
        if connection.mustBeNew { return .onNewConnection }
        guard failure == nil, sendAttempts.count > 0, !response.hasBegun else { return nil }
        if completion.code == CURLE_UPLOAD_FAILED, !connection.isNew {
            // libcurl has sent nothing: the last response on the connection was of HTTP/1.0, which has no chunks.
            sendAttempts.withdraw()
            return .onNewConnection
        }
        if isRepeatableByAttempt, !connection.isNew {
            needsNewAttempt = sendAttempts.resendingLost(after: completion.code) != nil
        }
        guard canBeRepeated else { return nil }
        if connection.isMultiplexed,
            RefusedStreams.isRefusal(completion.code, besideRefused: completion.isBesideRefused),
            let resending = sendAttempts.resendingRefused()
        {
            return resending
        }
        guard !connection.isNew, request.method.isIdempotent else { return nil }
        return sendAttempts.resendingLost(after: completion.code)
    }

    private mutating func retryWithoutExpectation() {
        expectation = .refused(isRetryDue: false)
        request.headers[.expect] = nil
        response.forgetHead()
        sendAttempts.reset()
        connection.forget()
        failure = nil
    }

    // MARK: The result

    /// Whether libcurl reports nothing wrong with the response itself.
    private static func endsConnection(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: true
        default: false
        }
    }

    /// Whether all of the response has come, by its stated length or its chunks, while the body of the request was sent.
    private var isAnswered: Bool {
        // While the transfer is held, libcurl keeps what it decodes, also the end of a body that has come on the wire.
        guard stage == .receiving, upload != nil, !isHeld else { return false }
        if response.isChunked { return response.endsWithConnection == true }
        guard response.coded == nil, let length = response.contentLength else { return false }
        return response.received >= length
    }

    private func shortfall(isCutOff: Bool) -> HTTPClientError? {
        if sendAttempts.areRefusedTooOften, !response.hasHead { return refusedTooOften }
        return response.shortfall(isCutOff: isCutOff).map { code, message, recoverySuggestion in
            error(code, message, recoverySuggestion, in: code == .decoding ? .decoding : nil)
        }
    }

    /// The error for a failure that libcurl reports.
    ///
    /// - Parameter isCutOff: whether the connection ended without a `close_notify` of TLS.
    func failure(after code: CURLcode, in context: FailureContext, isCutOff: Bool) -> HTTPClientError {
        if code == CURLE_OUT_OF_MEMORY || code == freshet_curle_too_large, response.coded != nil {
            return error(.tooLarge, "too much was unpacked while the response was held", .disableCompression)
        }
        if sendAttempts.areRefusedTooOften, !response.hasHead { return refusedTooOften }
        let reported = CurlError(code: UInt32(code.rawValue))
        let (kind, message, recoverySuggestion) = reported.meaning(in: context)
        // nghttp2 reports a response that is cut short in the same way, and a retry can succeed then.
        if kind == .protocol, code == CURLE_HTTP2_STREAM, response.hasHead,
            let shortfall = shortfall(isCutOff: isCutOff)
        {
            return shortfall
        }
        let isLost = kind == .connectionLost && sendAttempts.count > 0 && !response.hasBegun
        if isLost, !connection.isNew, code != CURLE_HTTP2_STREAM { return lostOnKept }
        let phase: HTTPClientError.Phase? =
            switch kind {
            case .tls: .securing
            // The proxy responded before TLS began.
            case .connect: .connecting
            case .decoding: .decoding
            default: nil
            }
        var failure = error(kind, message, recoverySuggestion, in: phase)
        failure.underlying = reported
        return failure
    }
}
