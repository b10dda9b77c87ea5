import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import Synchronization

/// One transfer, from its place in the queue to its end, and the subscription to it.
// Unchecked: what is mutable is touched on the loop alone, but for the atomics.
final class CurlTransfer: Transfer, DeadlineTarget, LoopWork, @unchecked Sendable {
    enum State {
        case new, queued, preparing, running, ended
    }

    /// As it goes on the wire, once it has been prepared.
    var request: Request
    let options: TransferOptions
    /// As it came, from when it is prepared.
    private(set) var original: Request?
    /// Who gets what comes.
    let receiver: any TransferReceiver
    // Held, so that a transport that nobody holds any more still ends what was begun.
    let transport: CurlTransport
    private let disposed = Atomic<Bool>(false)
    private let pauseWanted = Atomic<Bool>(false)

    var state = State.new
    var place: AdmissionQueue.Place?
    var previous: CurlTransfer?
    var next: CurlTransfer?
    /// What serves it, as long as it runs.
    var easy: CurlEasy?
    /// The name whose addresses it waits for.
    var awaited: KnownName?
    /// Among the loop's; 0 if there is none.
    var deadline: LoopDeadlines.Number = 0
    /// When it was admitted.
    var admission = Instant(sinceStart: .zero)
    /// In milliseconds of the loop's clock.
    var lastActivity: Int64 = 0
    var lastUpload: curl_off_t = 0
    var phase = HTTPClientError.Phase.preparing
    /// How often the request was put on the wire.
    var sendings = 0
    /// How often of these since libcurl was given it last.
    var sendingsOfLibcurl = 0
    /// How often the server has said that it did not process it.
    var refusals = 0
    /// It was sent again after a kept connection had died under it.
    var wasSentAgain = false
    /// Nothing but a refusal has libcurl send it again.
    var isGuarded = false
    /// It has to go out on a new connection, for the kept one is not to be trusted.
    var isToBeSentAfresh = false
    /// The port of this end of its connection.
    private(set) var localPort: Int32 = -1
    /// What `CURLINFO_OS_ERRNO` was when the request went out.
    private(set) var errorNumber = 0
    /// The TLS alert that came last on its connection.
    var alert: Int?
    /// Our own reason to have stopped libcurl.
    var failure: HTTPClientError?
    var isHeld = false
    /// The body, if libcurl is to ask for it.
    var upload: CurlUpload?
    /// The server knows nothing of `Expect`: the request goes out again without.
    var isExpectationRefused = false
    var wantsAnotherTry = false
    private var preparation: Preparation?
    private(set) var preparations = 0
    /// It has been made final since it last stood in the queue.
    var isFresh = false
    private var isAnnounced = false
    /// A socket was not to be had.
    var lacksDescriptors = false
    /// How often it went back to the queue for want of a descriptor.
    var shortages = 0
    var decodes = true
    var parser: ResponseHeadParser
    var contentLength: Int?
    var received = 0
    var isChunked = false
    var isSentTold = false
    /// libcurl would wait for the end of the connection, and the answer ends before.
    var endsItself = false
    /// The answer has no body, whatever it says.
    var isBodyless = false
    /// How much of the body may have come before it is looked at again.
    var allowance = Int.max
    /// Set while libcurl decodes the body.
    var coded: CodedBody?
    var bodyEnd = BodyEnd.ahead
    /// Which of the calls of libcurl handed out the end of the head; see ``CurlMulti/calls``.
    var callOfHead = 0
    /// What speaks against the kept connection that it is sent on.
    var suspicion: Suspicion?
    var openedSocket = false
    private var isConnected = false

    // Inlined, or what is handed in is counted twice.
    @inline(__always)
    init(
        _ request: Request, _ options: TransferOptions, transport: CurlTransport, to receiver: any TransferReceiver
    ) {
        self.request = request
        self.options = options
        self.transport = transport
        self.receiver = receiver
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        if let limit = options.maximumBodySize { allowance = limit }
        Resources.increment()
    }

    deinit { Resources.decrement() }

    // MARK: Any thread

    var isDisposed: Bool { disposed.load(ordering: .relaxed) }
    var isPauseWanted: Bool { pauseWanted.load(ordering: .relaxed) }

    func start() {
        transport.pool.submit(.start(self))
    }

    func dispose() {
        if !disposed.exchange(true, ordering: .acquiringAndReleasing) { transport.pool.submit(.cancel(self)) }
    }

    func pause() {
        pauseWanted.store(true, ordering: .releasing)
    }

    func resume() {
        if pauseWanted.exchange(false, ordering: .acquiringAndReleasing) { transport.pool.submit(.resume(self)) }
    }

    // MARK: The loop

    func runOnLoop() { transport.pool.arrived(self) }

    func deadlineReached() { transport.pool.deadlineReached(by: self) }

    func emit(_ part: consuming ResponsePart) {
        if !isDisposed { receiver.receive(part) }
    }

    func fail(
        _ code: HTTPClientError.Code, _ message: String, _ remedy: HTTPClientError.Remedy
    ) -> HTTPClientError {
        HTTPClientError(
            code, phase: phase, origin: request.url.origin.description, message: message, remedy: remedy,
            isUnsent: sendings == 0)
    }

    /// Has the request made final, now that its turn has come.
    ///
    /// - Returns: the result, or `nil` if it has to be waited for; then it comes to the pool as a command.
    func prepared() -> Result<Void, any Error>? {
        // What has just been made final stays so; and what is never ready at once would give its turn back for ever.
        guard !isFresh, preparations < 3 else { return .success(()) }
        preparations += 1
        if preparation != nil { endPreparation() }
        if let original { request = original } else { original = request }
        if case .waiting(let waits) = receiver.prepare(&request) { return prepared(by: checked(waits)) }
        if case .source(let source) = request.body, source.isChecked { return prepared(by: checked(.just(request))) }
        return request.refusal(options).map { .failure($0) } ?? .success(())
    }

    private func prepared(by prepared: Single<Request>) -> Result<Void, any Error>? {
        let preparation = Preparation()
        self.preparation = preparation
        preparation.subscription = prepared.subscribe { result in
            guard preparation.isLate(result) else { return }
            self.transport.pool.submit(.prepared(self, result))
        }
        guard let result = preparation.take() else { return nil }
        // It is not kept for as long as the answer lasts.
        endPreparation()
        return settle(result)
    }

    /// Takes what the preparation came to.
    func settle(_ result: Result<Request, any Error>) -> Result<Void, any Error> {
        result.flatMap { prepared in
            request = prepared
            return prepared.refusal(options).map { .failure($0) } ?? .success(())
        }
    }

    func endPreparation() {
        guard let preparation else { return }
        self.preparation = nil
        preparation.subscription?.dispose()
        preparation.subscription = nil
    }

    /// Delivers the end. What the transfer holds is let go of before.
    func finish(_ failure: (any Error)?) {
        if isDisposed { return }
        if failure == nil, parser.hasTrailers { emit(.trailers(parser.trailers)) }
        if !isDisposed { receiver.receiveEnd(failure) }
    }

    /// It goes to libcurl, as it has been prepared.
    func announce() {
        if isDisposed { return }
        receiver.willSend(request)
        if !isAnnounced { emit(.phase(.admitted)) }
        isAnnounced = true
    }

    /// Begins anew after it went back to the queue; nothing had been sent.
    func resetForAnotherTry() {
        phase = .queued
        openedSocket = false
        isConnected = false
        lacksDescriptors = false
        failure = nil
    }

    // MARK: Called by libcurl

    /// A new connection of which libcurl wants to read is made, and its TLS handshake has begun; if it is a proxy's, the tunnel
    /// has to be made first.
    func waitsForServer(on fd: curl_socket_t) {
        if place?.route?.proxy == nil { beginsToSecure(on: fd) }
    }

    /// The TLS handshake with the server has begun on a connection that is made.
    func beginsToSecure(on fd: curl_socket_t) {
        guard sendings == 0, phase == .connecting, isSecure else { return }
        phase = .securing
        lastActivity = transport.pool.loop.turnMilliseconds
        announceConnection(to: peer(of: fd), reused: false)
    }

    private func peer(of fd: curl_socket_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let port = freshet_peer(fd, text.baseAddress, text.count)
            return port < 0 ? "" : peer(text.baseAddress, port)
        }
    }

    private func peer(_ address: UnsafePointer<CChar>?, _ port: Int32) -> String {
        guard let host = address.map({ String(cString: $0) }) else { return "" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private func announceConnection(to address: String, reused: Bool) {
        guard !isConnected else { return }
        isConnected = true
        emit(.phase(.connected(address: address, reused: reused)))
    }

    /// - Returns: whether the request may be sent.
    func willSend(
        on raw: UnsafeMutableRawPointer, address: UnsafePointer<CChar>?, port: Int32, from localPort: Int32
    ) -> Bool {
        guard mayGoOut() else {
            phase = .waiting
            failure = refusals > 0 ? refusedTooOften : lostOnKept
            return false
        }
        self.localPort = localPort
        errorNumber = freshet_easy_get_long(raw, CURLINFO_OS_ERRNO)
        if upload != nil, upload?.rewind() == false {
            bodyCannotBeRepeated()
            return false
        }
        if !isConnected { announceConnection(to: peer(address, port), reused: !openedSocket) }
        if openedSocket || options.version == .http2, isSecure {
            guard secured(raw) else { return false }
        }
        if !request.body.isEmpty, place?.multiplexes == true, EarlyResponses.isActive {
            easy?.multi.cork(from: localPort)
        }
        phase = !request.body.isEmpty ? .sending : .waiting
        isSentTold = false
        return !isDisposed
    }

    private func secured(_ raw: UnsafeMutableRawPointer) -> Bool {
        var length: UInt32 = 0
        let name = freshet_easy_alpn(raw, &length)
        let spoken = String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
        if options.version == .http2, spoken != "h2" {
            sendings -= 1
            phase = .securing
            failure = fail(.protocol, "the server does not speak HTTP/2", .askForHTTP1)
            return false
        }
        if openedSocket { emit(.phase(.secured(protocol: spoken.isEmpty ? "http/1.1" : spoken))) }
        if spoken == "h2" {
            place?.multiplexes = true
            easy?.multi.silenceTimer.start()
        }
        return true
    }
}
