import FreshetHTTP
import HTTPTypes

// Processes the parts of the response that libcurl hands out.
extension TransferStateMachine {
    mutating func received(lines bytes: UnsafeRawBufferPointer, at callbackTime: CallbackTime) -> [Action] {
        times.activity = callbackTime.time
        var actions: [Action] = []
        if stage != .receiving {
            if isResponseToNothing() { return [.stop] }
            stage = .receiving
            if upload?.isTaken != false { actions = reportSent() }
        }
        switch response.receive(lines: bytes, entry.originPool?.heads) {
        case .incomplete: return actions
        case .informational(let head):
            // The body can have ended between two lines of the head.
            if upload?.isTaken == false { stage = .sending } else { actions += reportSent() }
            return actions + [.deliver(.informational(head))]
        case .head(let head, let info):
            actions += reportSent()
            received(head, info, in: callbackTime.call, &actions)
            return actions
        case .malformed(let problem):
            failure = error(.protocol, problem, "check that the address is that of an HTTP server")
        case .tooLarge:
            failure = error(
                .tooLarge, "the head of the response is over \(options.maximumHeadSize) bytes", .raiseHeadLimit)
        case .tooManyLines:
            failure = error(
                .tooLarge,
                "the head of the response has more than \(ResponseHeadParser.maximumLines) lines, or more than "
                    + "\(ResponseHeadParser.maximumContinuations) that continue another",
                "check which server runs at the address")
        }
        return actions + [.stop]
    }

    private mutating func received(
        _ head: consuming HTTPResponse, _ info: borrowing ResponseHeadParser.Info, in call: Int,
        _ actions: inout [Action]
    ) {
        if refusesExpectation(info.status), upload?.canRewind == false {
            // libcurl would drop the response's body, and send the request again with the rest of the request's body. It hands out
            // a response that it got after the whole body, or that closes the connection.
            if upload?.isTaken != true, !Self.closesConnection(head) {
                failure = expectationRefused
                return actions.append(.stop)
            }
        } else if refusesExpectation(info.status) {
            expectation = .refused(isRetryDue: true)
            if upload != nil { actions.append(.rewindBody) }
            return actions.append(.stop)
        }
        if isEndOfIdling(info.status) {
            response.forgetHead()
            connection.mustBeNew = true
            return actions.append(.stop)
        }
        // libcurl would keep the connection, and the server would take the next request for the body that it has not got.
        if asksToContinue, let upload, upload.taken == 0, !upload.isTaken, !connection.isMultiplexed {
            actions.append(.closeAfterResponse)
        }
        // The server rejects the rest of the body. Source: RFC 9110 section 10.1.1, RFC 9112 section 9.6.
        if upload != nil, info.status >= 300 { actions.append(.cutBody) }
        let problem = response.begin(
            &head, info, isForHead: request.method == .head, decodes: !isDecodedByCaller,
            in: call)
        if let problem { failure = error(problem.0, problem.1, problem.2) }
        // A server can close while the request's body waits for its source: see ``ResponseReader/endsWithConnection``.
        if response.coded != nil || (response.isChunked && upload != nil) { actions.append(.watchWire) }
        if response.isEndedByConnection, isSecure, !connection.isMultiplexed { actions.append(.watchConnectionEnd) }
        if options.isLongLived { actions.append(.defer(.responseBegan)) }
        actions.append(.deliver(.head(consume head)))
        if failure != nil || response.endsWithHead { actions.append(.stop) }
    }

    mutating func received(body bytes: UnsafeRawBufferPointer, at callbackTime: CallbackTime) -> [Action] {
        times.activity = callbackTime.time
        switch response.receive(body: bytes, in: callbackTime.call) {
        case .more: return received(piece: bytes, in: callbackTime.call)
        case .last: return atEndOfBody + deliver(bytes)
        case .lastBeforeSurplus(let count):
            return deliver(UnsafeRawBufferPointer(rebasing: bytes.dropLast(count))) + [.stop]
        case .tooMuch(let problem):
            failure = error(problem.0, problem.1, problem.2)
            return [.stop]
        }
    }

    /// A small piece waits until libcurl returns. It is delivered together with those that follow it in the same call.
    private mutating func received(piece bytes: UnsafeRawBufferPointer, in call: Int) -> [Action] {
        guard bytes.count < SmallPieces.largePiece else { return deliver(bytes) }
        let isFirst = pieces.isEmpty
        pieces.append(bytes)
        guard pieces.areFull else { return isFirst ? [.defer(.deliverPieces)] : [] }
        pieces.lastFullCall = call
        return deliverPieces()
    }

    /// Why libcurl has to pause before the next bytes of the body; `nil` if it goes on.
    ///
    /// libcurl can read 13 MB of an HTTP/1 connection in one turn, which are more than a million small pieces. So the
    /// transfer leaves the rest of the turn to others after a call of libcurl has handed out many of them.
    func hold(isPauseWanted: Bool, in call: Int) -> Hold? {
        if isPauseWanted { return .byReceiver }
        // libcurl reads less of an HTTP/2 connection. During a pause it keeps all that it decodes, which can be too much.
        let yields = pieces.lastFullCall == call && !connection.isMultiplexed && response.coded == nil
        return yields ? .untilNextTurn : nil
    }

    /// Delivers bytes behind the pieces that wait.
    private mutating func deliver(_ bytes: UnsafeRawBufferPointer) -> [Action] {
        if !pieces.isEmpty, bytes.count < SmallPieces.largePiece {
            pieces.append(bytes)
            return deliverPieces()
        }
        let part = Action.deliver(.body([UInt8](bytes)))
        return pieces.isEmpty ? [part] : deliverPieces() + [part]
    }

    mutating func deliverPieces() -> [Action] {
        pieces.isEmpty ? [] : [.deliver(.body(pieces.removeAll()))]
    }

    /// Processes bytes of an encoded body before libcurl decodes them.
    mutating func received(onWire bytes: UnsafeRawBufferPointer, at callbackTime: CallbackTime) -> [Action] {
        times.activity = callbackTime.time
        var actions = response.receive(onWire: bytes, in: callbackTime.call) ? atEndOfBody : []
        // libcurl hands the decoded bytes on right after this.
        if response.coded?.hasAll == true { actions.append(.defer(.bodyCompleted)) }
        return actions
    }

    /// The action at the end of the body. libcurl reads no more than the length of the body, and would treat the bytes behind it
    /// as the response to the next request.
    private var atEndOfBody: [Action] { isSecure && !connection.isMultiplexed ? [.closeIfSurplusBytes] : [] }

    /// Whether this is the response of a server that does not support `Expect`. Source: RFC 9110 section 15.5.18.
    func refusesExpectation(_ status: Int) -> Bool { status == 417 && asksToContinue }

    /// Whether the server is asked to confirm first that it wants the body, by the options or by a field of the request.
    private var asksToContinue: Bool {
        expectation == .kept && !request.body.isEmpty && request.asksToContinue(options)
    }

    /// The failure of a request whose expectation is refused while its body, which can be read once, is sent.
    var expectationRefused: HTTPClientError {
        error(
            .invalidRequest, "the server refuses the expectation (417), and the body can't be read again",
            "send no expectation, or give the body as one that can be replayed")
    }

    /// Whether every libcurl sees that the response closes the connection. Some do not find the word in a list.
    private static func closesConnection(_ head: borrowing HTTPResponse) -> Bool {
        head.headerFields[.connection]?.lowercased() == "close"
    }

    /// Whether the response says that the server has waited too long for a request: it gave the kept connection up while
    /// the request was being sent. Source: RFC 9110 section 15.5.9.
    private func isEndOfIdling(_ status: Int) -> Bool {
        status == 408 && sendAttempts.count == 1 && !connection.isNew && !connection.isMultiplexed && isRepeatable
    }

    /// Whether the bytes that begin to come are not a response to this request, which was sent on a kept connection. If
    /// they are not, the request is sent again where that does no harm, and fails otherwise.
    private mutating func isResponseToNothing() -> Bool {
        guard let staleResponseCheck = connection.staleResponseCheck, staleResponseCheck.isConfirmed else {
            return false
        }
        connection.staleResponseCheck = nil
        if isRepeatable {
            connection.mustBeNew = true
        } else {
            failure = error(
                .connectionLost,
                "the server sent more than it had announced, while this request was being sent",
                .sendAgainIfHarmless)
        }
        return true
    }
}

/// The state of a request that asks the server to confirm first that it wants the body. Source: RFC 9110 section 10.1.1.
enum Expectation: Equatable {
    case kept
    /// The server does not support `Expect`. The request is sent again without it.
    case refused(isRetryDue: Bool)
}
