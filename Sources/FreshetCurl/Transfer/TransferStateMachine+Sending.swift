import FreshetCore
import FreshetHTTP

extension TransferStateMachine {
    /// A request that is about to be sent on a connection.
    struct Outgoing {
        let time: Milliseconds
        /// The local port of the connection.
        let localPort: Int32
        /// The value of `CURLINFO_OS_ERRNO`.
        let errorNumber: Int
        /// The address of the peer; `nil` if the receiver has it.
        let address: String?
        /// The protocol that TLS has negotiated, empty if there is none; `nil` without TLS.
        let applicationProtocol: String?
        /// The check of a kept connection that may hold surplus bytes; `nil` for other connections.
        let staleResponseCheck: StaleResponseCheck?
    }

    /// Whether TLS can begin now on the new connection.
    @inline(__always)
    var isBeforeTLS: Bool { times.connecting != nil && stage == .connecting && isSecure }

    mutating func launched(at now: Instant) -> [Action] {
        stage = .resolving
        if isAdmissionReported {
            times.beginConnecting(now)
            return [.announceRequest]
        }
        times.begin(now)
        isAdmissionReported = true
        return [.announceRequest, .deliver(.phase(.admitted))]
    }

    /// libcurl gets the request once more, because its connection has ended or the server has refused it.
    mutating func sentAgain(at now: Instant) {
        times.beginConnecting(now)
        stage = .resolving
        connection.isAnnounced = false
    }

    /// libcurl is about to get the request.
    mutating func served(by easy: CurlEasy, _ upload: CurlUpload?) {
        holder = .handle(easy)
        self.upload = upload
        isDecodedByCaller = easy.state.set.contains(.codings)
        connection.beginSending()
        times.beginSending()
        sendAttempts.begin(isGuarded: easy.state.isGuarded)
    }

    mutating func resumed(at now: Instant) {
        hold = nil
        times.progress(now)
    }

    /// The transfer goes back to the queue, because no descriptor was left.
    mutating func requeued() {
        stage = .queued
        holder = .nobody
        connection.shortages += 1
        connection.forget()
        failure = nil
    }

    /// Whether a socket that libcurl opens now begins another connection. libcurl opens several sockets for one connection if it
    /// tries several addresses, and it opens a connection after the request was sent if it sends the request again.
    var beginsConnection: Bool { !connection.isNew || stage > .securing }

    mutating func opensSocket() -> [Action] {
        guard beginsConnection else { return [] }
        connection.begin()
        stage = .connecting
        guard let originPool = entry.originPool,
            let (host, addresses) = originPool.route?.announcement(for: originPool.origin)
        else {
            return []
        }
        return [.deliver(.phase(.resolved(host: host, addresses: addresses)))]
    }

    mutating func handshakeBegan(to address: String, at time: Milliseconds) -> [Action] {
        guard isBeforeTLS else { return [] }
        stage = .securing
        times.activity = time
        return connected(to: address)
    }

    private mutating func connected(to address: String?) -> [Action] {
        guard let address, !connection.isAnnounced else { return [] }
        connection.isAnnounced = true
        return [.deliver(.phase(.connected(address: address, reused: !connection.isNew)))]
    }

    mutating func requestSent(_ outgoing: Outgoing) -> [Action] {
        times.activity = outgoing.time
        times.endConnecting()
        connection.mustBeNew = outgoing.staleResponseCheck?.isProven == true
        if connection.mustBeNew { return [.stop] }
        connection.staleResponseCheck = outgoing.staleResponseCheck
        guard sendAttempts.requestSent(isIdempotent: request.method.isIdempotent, isResendable: request.isResendable)
        else {
            stage = .waiting
            needsNewAttempt = isRepeatableByAttempt && !sendAttempts.isGuarded
            failure = sendAttempts.refusals > 0 ? refusedTooOften : lostOnKept
            return [.stop]
        }
        connection.localPort = outgoing.localPort
        connection.errorNumber = outgoing.errorNumber
        // libcurl repeats a request after the head of a response because of its expectation, if a part of the body was not sent yet,
        // or because an HTTP/2 server has reset the stream and asks for HTTP/1.1.
        guard !response.hasHead, upload?.canRewind != false else {
            failure =
                if !response.hasHead {
                    cannotBeRepeated
                } else if refusesExpectation(response.status) {
                    expectationRefused
                } else {
                    http1Demanded
                }
            return [.stop]
        }
        var actions = connected(to: outgoing.address)
        if upload != nil { actions.append(.rewindBody) }
        if let spoken = outgoing.applicationProtocol {
            guard options.version != .http2 || spoken == "h2" else {
                sendAttempts.withdraw()
                stage = .securing
                failure = error(.protocol, "the server does not speak HTTP/2", .useHTTP1)
                return actions + [.stop]
            }
            actions += negotiated(spoken)
        }
        if sendAttempts.count > 1 { actions.append(.deliver(.phase(.layer(.sentAgain)))) }
        if !request.body.isEmpty, connection.isMultiplexed, EarlyResponses.isActive { actions.append(.cork) }
        stage = request.body.isEmpty ? .waiting : .sending
        isSentReported = false
        return actions
    }

    private mutating func negotiated(_ applicationProtocol: String) -> [Action] {
        var actions: [Action] = []
        if connection.isNew {
            let name = applicationProtocol.isEmpty ? "http/1.1" : applicationProtocol
            actions.append(.deliver(.phase(.secured(protocol: name))))
        }
        connection.isMultiplexed = applicationProtocol == "h2"
        // A request that asked for HTTP/1.1 does not tell what the others would get.
        let isTelling = connection.isMultiplexed || (connection.isNew && options.version == .automatic)
        if isTelling, entry.originPool?.multiplexes != connection.isMultiplexed {
            actions.append(.recordMultiplexing(connection.isMultiplexed))
        }
        return actions
    }

    /// libcurl has all of the body.
    mutating func bodySent() -> [Action] {
        guard stage == .sending else { return [] }
        stage = .waiting
        return reportSent()
    }

    /// Reports that the whole request was sent, or as much of it as the server wants. It reports that once, and again if
    /// the request is sent again because the connection was dead.
    mutating func reportSent() -> [Action] {
        if isSentReported { return [] }
        isSentReported = true
        return [.reportSent]
    }

    mutating func bodyFailed(_ error: any Error) {
        failure = HTTPClientError(ofBody: error, phase, request.url.origin.description)
    }

    // MARK: Failures

    /// The failure of a request that the server has refused too often.
    var refusedTooOften: HTTPClientError {
        error(
            .connectionLost, "the server has refused the request \(sendAttempts.reportedRefusals) times", .tryAgainLater
        )
    }

    /// The failure of a request whose kept connection has ended, and that the server may have processed.
    var lostOnKept: HTTPClientError {
        error(
            .connectionLost,
            "a kept connection died before anything of a response came", .sendAgainIfHarmless)
    }

    /// The failure of a request whose stream the server has reset after the head of its response, to have it over HTTP/1.1.
    private var http1Demanded: HTTPClientError {
        error(.connectionLost, "the server has ended the response after its head, and asks for HTTP/1.1", .useHTTP1)
    }

    var cannotBeRepeated: HTTPClientError {
        error(
            .connectionLost,
            "a kept connection died, and the body can't be read again", "give it as one that can be replayed")
    }
}
