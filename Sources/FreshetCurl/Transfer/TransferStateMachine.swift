import CFreshetCurl
import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The state of one transfer as a value. The pool and libcurl's callbacks apply inputs to it, and it returns the actions.
///
/// It calls neither libcurl nor the receiver. ``CurlTransfer`` holds it, and performs the actions after ``apply(_:)`` has
/// returned.
struct TransferStateMachine {
    /// How far the transfer has come.
    enum Stage: UInt8, Comparable {
        case new, queued
        /// The receiver prepares the request, and other transfers can be admitted until it has.
        case preparing
        /// The transfer is admitted, as in the following stages until `ended`.
        case admitted
        case resolving, connecting, securing, sending, waiting, receiving
        case ended

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// The object that the transfer waits for, or that serves it.
    enum Holder {
        case nobody
        case preparation(Preparation)
        /// The transfer waits for the addresses of a host name.
        case name(CachedHost)
        case handle(CurlEasy)
    }

    /// A pause of the response, for which libcurl keeps what it decodes.
    enum Hold {
        /// The receiver takes no more for now.
        case byReceiver
        /// The transfer leaves the rest of this turn of the loop to others.
        case untilNextTurn
    }

    enum Input {
        // The pool
        case queued
        case admitted
        case waitsForReceiver(Preparation)
        case prepared(Request)
        case launched(at: Instant)
        case sentAgain(at: Instant)
        case waitsForAddresses(CachedHost)
        case served(by: CurlEasy, CurlUpload?)
        case resumed(at: Instant)
        /// libcurl is asked to send more of the body, after there were no bytes.
        case sendsOn(at: Instant)
        case progressed(Progress)
        case leftAlone
        case requeued
        case ended((any Error)?)
        // libcurl
        case opensSocket
        case lacksDescriptors
        case handshakeBegan(address: String, at: Milliseconds)
        case requestSent(Outgoing)
        case bodySent
        case alerted(Int)
        case failed(HTTPClientError.Code, String, HTTPClientError.RecoverySuggestion)
        case bodyFailed(any Error)
        case bodyCannotBeRepeated
        case held(Hold)
        /// Whole header lines, of one head at most.
        case lines(UnsafeRawBufferPointer, CallbackTime)
        case wire(UnsafeRawBufferPointer, CallbackTime)
        case body(UnsafeRawBufferPointer, CallbackTime)
        /// libcurl has returned after small pieces of the body.
        case deliverPieces
        case completed(Completion)
    }

    enum Action {
        /// Tells the receiver which request is sent.
        case announceRequest
        case deliver(ResponsePart)
        /// Tells the receiver how much was sent.
        case reportSent
        /// Tells libcurl not to go on.
        case stop
        /// Records whether the origin's latest connection carries many transfers.
        case recordMultiplexing(Bool)
        /// Holds back what is sent, until libcurl has sent the body.
        case cork
        case rewindBody
        case cutBody
        case watchWire
        case watchConnectionEnd
        case closeIfSurplusBytes
        case closeAfterResponse
        /// Lets the pool process the transfer after libcurl has returned.
        case `defer`(Deferred)
        case conclude(Conclusion)
        case end((any Error)?)
    }

    enum Deferred {
        /// Small pieces of the body wait for those that libcurl hands out in the same call.
        case deliverPieces
        /// The response of a long-lived transfer has begun.
        case responseBegan
        /// The body is complete, and libcurl does not know it.
        case bodyCompleted
    }

    /// Milliseconds of the loop's clock.
    typealias Milliseconds = Int64

    /// The time at which libcurl calls a callback.
    struct CallbackTime {
        /// When this turn of the loop began.
        let time: Milliseconds
        /// The number of calls of libcurl that the same multi has made before.
        let call: Int
    }

    let options: TransferOptions
    /// The request as it is sent, after it was prepared.
    var request: Request
    var stage = Stage.new
    var holder = Holder.nobody
    var entry = OriginPool.Entry()
    var preparations = PreparationCount()
    var times = TransferTimes()
    var sendAttempts = SendAttempts()
    var connection = ConnectionUse()
    var response: ResponseReader
    /// The pieces of the response's body that are not delivered yet.
    var pieces = SmallPieces()
    /// The body, if libcurl reads it while it sends it.
    var upload: CurlUpload?
    /// Whether the server was asked to confirm first that it wants the body, and how it responded.
    var expectation = Expectation.kept
    /// The reason for which libcurl was stopped.
    var failure: HTTPClientError?
    /// See `HTTPClientError.needsNewAttempt`.
    var needsNewAttempt = false
    /// Whether the caller decodes the body instead of libcurl.
    var isDecodedByCaller = false
    /// Why libcurl was told to pause the response; `nil` if it was not.
    var hold: Hold?
    /// Whether libcurl was ever told that.
    var wasHeld = false
    /// Whether the receiver knows that the transfer was admitted.
    var isAdmissionReported = false
    /// Whether the receiver knows how much was sent since the request was last sent.
    var isSentReported = false

    init(_ request: Request, _ options: TransferOptions) {
        self.request = request
        self.options = options
        response = ResponseReader(options)
    }

    // MARK: The properties that the pool and the callbacks use

    var isSecure: Bool { request.url.isSecure }
    /// Whether libcurl was told to pause the response.
    var isHeld: Bool { hold != nil }
    var isRunning: Bool { stage >= .admitted && stage < .ended }
    var route: Route? { entry.originPool?.route }
    /// Whether libcurl can leave an address for another one of its family.
    var hasAlternatives: Bool { route?.destinations.contains { $0.name.hasAlternatives } ?? false }
    /// Whether the server is asked to confirm first that it wants the body.
    var expectsContinue: Bool { options.expectsContinue != nil && expectation == .kept }
    /// Whether the head was sent, and the body waits for the server to confirm.
    var isWaitingForContinue: Bool {
        expectsContinue && stage == .sending && upload.map { $0.taken == 0 && !$0.isPaused } ?? false
    }
    /// The connection, once the request was sent on it.
    var connectionIdentity: ConnectionIdentity? {
        sendAttempts.count > 0 ? entry.originPool.map { ConnectionIdentity($0, from: connection.localPort) } : nil
    }
    /// The connection, if the request was sent over HTTP/2.
    var multiplexedConnection: ConnectionIdentity? { connection.isMultiplexed ? connectionIdentity : nil }
    /// Whether the request can't use a kept connection.
    var needsNewConnection: Bool { options.freshConnection || options.isLongLived || connection.mustBeNew }
    /// Whether the body, if there is one, can be read again.
    var isBodyReplayable: Bool { upload?.source.isReplayable != false }
    var canBeRepeated: Bool { isBodyReplayable && request.isResendable }
    var isRepeatable: Bool { request.method.isIdempotent && canBeRepeated }
    /// Whether only another attempt may send the request again after the loss of a kept connection.
    var isRepeatableByAttempt: Bool {
        request.method.isIdempotent && isBodyReplayable && !request.isResendable && !response.hasBegun
    }

    /// The handle that serves the transfer, if it runs.
    var easy: CurlEasy? {
        if case .handle(let easy) = holder { easy } else { nil }
    }

    var awaited: CachedHost? {
        if case .name(let name) = holder { name } else { nil }
    }

    var phase: HTTPClientError.Phase {
        switch stage {
        case .new: .preparing
        case .queued, .preparing, .admitted, .ended: .queued
        case .resolving: .resolving
        case .connecting: .connecting
        case .securing: .securing
        case .sending: .sending
        case .waiting: .waiting
        case .receiving: .receiving
        }
    }

    func error(
        _ code: HTTPClientError.Code, _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion,
        in phase: HTTPClientError.Phase? = nil
    ) -> HTTPClientError {
        let isUnsent = sendAttempts.count == 0
        // The server may have processed the request.
        let canHarm = recoverySuggestion == .tryAgain && !isUnsent && !request.method.isIdempotent
        var error = HTTPClientError(
            code, phase: phase ?? self.phase, origin: request.url.origin.description, message: message,
            recoverySuggestion: canHarm ? .sendAgainIfHarmless : recoverySuggestion, isUnsent: isUnsent)
        error.needsNewAttempt = needsNewAttempt
        return error
    }

    // MARK: The transitions

    mutating func apply(_ input: Input) -> [Action] {
        switch input {
        case .queued: stage = .queued
        case .admitted: (stage, holder) = (.admitted, .nobody)
        case .waitsForReceiver(let preparation): (stage, holder) = (.preparing, .preparation(preparation))
        case .prepared(let request): self.request = request
        case .launched(let now): return launched(at: now)
        case .sentAgain(let now): sentAgain(at: now)
        case .waitsForAddresses(let name): holder = .name(name)
        case .served(let easy, let upload): served(by: easy, upload)
        case .leftAlone: holder = .nobody
        case .requeued: requeued()
        case .ended(let failure): return ended(failure)
        case .opensSocket: return opensSocket()
        case .lacksDescriptors: connection.lacksDescriptors = true
        case .handshakeBegan(let address, let time): return handshakeBegan(to: address, at: time)
        case .requestSent(let outgoing): return requestSent(outgoing)
        case .bodySent: return bodySent()
        case .alerted(let alert): connection.alerted(alert)
        case .failed(let code, let message, let recoverySuggestion):
            failure = failure ?? error(code, message, recoverySuggestion)
        case .bodyFailed(let error): bodyFailed(error)
        case .bodyCannotBeRepeated: failure = cannotBeRepeated
        case .held(let hold): (self.hold, wasHeld) = (hold, true)
        case .resumed(let now): resumed(at: now)
        case .sendsOn(let now): times.progress(now)
        case .progressed(let progress): record(progress)
        case .lines(let bytes, let callbackTime): return received(lines: bytes, at: callbackTime)
        case .wire(let bytes, let callbackTime): return received(onWire: bytes, at: callbackTime)
        case .body(let bytes, let callbackTime): return received(body: bytes, at: callbackTime)
        case .deliverPieces: return deliverPieces()
        case .completed(let completion): return completed(completion)
        }
        return []
    }
}
