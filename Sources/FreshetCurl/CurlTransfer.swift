import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import Synchronization

/// One transfer, from its place in the queue to its end, and the subscription to it.
// Unchecked: what is mutable is touched on the loop alone, but for the atomics.
final class CurlTransfer: DirectTransfer, DeadlineTarget, LoopWork, @unchecked Sendable {
    enum State {
        case new, queued, preparing, running, ended
    }

    /// As it goes on the wire, once it has been prepared.
    @exclusivity(unchecked) var request: Request
    let options: TransferOptions
    /// As it came, from when it is prepared.
    @exclusivity(unchecked) private(set) var original: Request?
    /// Who gets what comes, and its number for this transfer.
    let receiver: any TransferReceiver
    let number: Int
    // Held, so that a transport that nobody holds any more still ends what was begun.
    let transport: CurlTransport
    private let disposed = Atomic<Bool>(false)
    private let pauseWanted = Atomic<Bool>(false)

    @exclusivity(unchecked) var state = State.new
    @exclusivity(unchecked) var place: AdmissionQueue.Place?
    @exclusivity(unchecked) var previous: CurlTransfer?
    @exclusivity(unchecked) var next: CurlTransfer?
    // The multi holds it as long as it is used.
    @exclusivity(unchecked) private(set) var serving: Unmanaged<CurlEasy>?
    /// The name whose addresses it waits for.
    @exclusivity(unchecked) var awaited: KnownName?
    /// Among the loop's; 0 if there is none.
    @exclusivity(unchecked) var deadline: LoopDeadlines.Number = 0
    /// When it was admitted.
    @exclusivity(unchecked) var start = Instant(sinceStart: .zero)
    /// In milliseconds of the loop's clock.
    @exclusivity(unchecked) var lastActivity: Int64 = 0
    @exclusivity(unchecked) var lastUpload: curl_off_t = 0
    @exclusivity(unchecked) var phase = HTTPClientError.Phase.preparing
    /// How often the request was put on the wire; more than once where libcurl found a kept connection dead.
    @exclusivity(unchecked) var sendings = 0
    /// Whether nothing but a refusal of its stream has libcurl send it again.
    @exclusivity(unchecked) var isSentAgainOnlyIfRefused = false
    /// The second time is on another kept connection, which may be as dead as the first.
    @exclusivity(unchecked) var isToBeSentAfresh = false
    /// Our own reason to have stopped libcurl.
    @exclusivity(unchecked) var failure: HTTPClientError?
    @exclusivity(unchecked) var isHeld = false
    /// The body, if libcurl is to ask for it.
    @exclusivity(unchecked) var upload: CurlUpload?
    /// The server knows nothing of `Expect`: the request goes out again without.
    @exclusivity(unchecked) var isExpectationRefused = false
    @exclusivity(unchecked) var wantsAnotherTry = false
    @exclusivity(unchecked) private var preparation: Preparation?
    @exclusivity(unchecked) private(set) var preparations = 0
    /// It has been made final since it last stood in the queue.
    @exclusivity(unchecked) var isFresh = false
    @exclusivity(unchecked) var isAnnounced = false
    /// A socket was not to be had.
    @exclusivity(unchecked) var lacksDescriptors = false
    /// How often it went back to the queue for want of a descriptor.
    @exclusivity(unchecked) var shortages = 0
    @exclusivity(unchecked) var decodes = true
    @exclusivity(unchecked) var parser: ResponseHeadParser
    @exclusivity(unchecked) var contentLength: Int?
    @exclusivity(unchecked) var received = 0
    @exclusivity(unchecked) var isChunked = false
    @exclusivity(unchecked) var isSentTold = false
    /// libcurl would wait for the end of the connection, and the answer ends before.
    @exclusivity(unchecked) var endsItself = false
    /// The answer has no body, whatever it says.
    @exclusivity(unchecked) var isBodyless = false
    /// How much of the body may have come before it is looked at again.
    @exclusivity(unchecked) var allowance = Int.max
    /// Set while libcurl decodes the body.
    @exclusivity(unchecked) var coded: CodedBody?
    /// The body, if it is wanted in one piece.
    @exclusivity(unchecked) var whole: WholeBody?
    /// The end of the body may have come in a read of its own; see ``noteEnd(in:)``.
    @exclusivity(unchecked) var isEndApart = false
    /// It went out on a new connection the first time.
    @exclusivity(unchecked) var wasFresh = false
    /// What speaks against the kept connection that it is sent on.
    @exclusivity(unchecked) var suspicion: Suspicion?
    @exclusivity(unchecked) var openedSocket = false
    @exclusivity(unchecked) private var isConnected = false

    // Inlined, or what is handed in is counted twice.
    @inline(__always)
    init(
        _ request: Request, _ options: TransferOptions, transport: CurlTransport, number: Int,
        to receiver: any TransferReceiver
    ) {
        self.request = request
        self.options = options
        self.transport = transport
        self.receiver = receiver
        self.number = number
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        if let limit = options.maximumBodySize { allowance = limit }
        Resources.increment()
    }

    deinit { Resources.decrement() }

    // MARK: Any thread

    var isDisposed: Bool { disposed.load(ordering: .relaxed) }
    var isPauseWanted: Bool { pauseWanted.load(ordering: .relaxed) }

    func begin() {
        // Held by the transport.
        lent(transport.pool) { $0.submit(.start(self)) }
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

    /// What serves it, as long as it runs.
    var easy: CurlEasy? {
        get { serving?.takeUnretainedValue() }
        set { serving = newValue.map { .passUnretained($0) } }
    }

    func runOnLoop() { transport.pool.arrived(self) }

    func deadlineReached() { transport.pool.deadlineReached(by: self) }

    func emit(_ part: consuming ResponsePart) {
        if !isDisposed { receiver.take(part, of: number) }
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
        if let waits = receiver.prepare(&request, for: number) { return prepared(by: checked(waits)) }
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
        if whole != nil, failure == nil { handOnWhole() }
        if failure == nil, parser.hasTrailers { emit(.trailers(parser.trailers)) }
        if !isDisposed { receiver.end(failure, of: number) }
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
        guard let address else { return "" }
        // Held by the transfer while it runs.
        return lent(ifAny: place) { $0.peers.text(address, port) } ?? ""
    }

    private func announceConnection(to address: String, reused: Bool) {
        guard !isConnected else { return }
        isConnected = true
        emit(.phase(.connected(address: address, reused: reused)))
    }

    /// - Returns: whether the request may be sent.
    func willSend(on raw: UnsafeMutableRawPointer, address: UnsafePointer<CChar>?, port: Int32) -> Bool {
        sendings += 1
        // libcurl sends a request again if a kept connection turns out to be dead, whatever its method.
        if sendings == 1 { wasFresh = openedSocket }
        guard sendings == 1 || (sendings == 2 && (request.method.isIdempotent || isRefused)) else {
            phase = .waiting
            failure = sentTooOften
            return false
        }
        if sendings == 2, !openedSocket, place?.multiplexes != true {
            sendings = 1
            isToBeSentAfresh = true
            return false
        }
        if upload != nil, upload?.rewind() == false {
            bodyCannotBeRepeated()
            return false
        }
        if !isConnected { announceConnection(to: peer(address, port), reused: !openedSocket) }
        if openedSocket || options.version == .http2, isSecure {
            guard secured(raw) else { return false }
        }
        phase = !request.body.isEmpty ? .sending : .waiting
        isSentTold = false
        return !isDisposed
    }

    var isSecure: Bool { request.url.isSecure }

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
        if spoken == "h2" { place?.multiplexes = true }
        return true
    }
}
