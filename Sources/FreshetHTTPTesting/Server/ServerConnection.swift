import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes

/// One connection of a ``ScriptedServer``. It reads a request, plays the response, and then reads the next request.
/// Only the loop's thread uses it.
final class ServerConnection {
    enum Phase: Equatable {
        case open
        /// The connection produces nothing more, sends what waits, and then ends.
        case finishing(byReset: Bool)
        /// The server's end is closed. What the client still sends is read and discarded, because closing the socket
        /// before that would cause a reset.
        case lingering
        case closed
    }

    let socket: Socket
    private let number: Int
    let plan: ScriptedConnection
    // A retain cycle until the connection is closed.
    let listener: Listener
    var phase = Phase.open
    var poll: LoopPoll?
    private var parser: RequestParser
    var writer: SocketWriter

    private var head: RequestHead?
    var request: RecordedRequest?
    var player: ResponsePlayer?
    private var encoder: ResponseEncoder?
    private var isTaking = false
    /// Whether a response is being played, or some of its bytes are unsent.
    private(set) var isResponding = false
    /// Whether the connection ends after the current response.
    private var isLast = false
    private var bytesRead = 0
    /// Nothing is read until this pause is over.
    var readPause: (any Disposable)?
    var pace: Pace?
    /// Nothing is sent until this pause is over.
    var writePause: (any Disposable)?
    var ending: (any Disposable)?

    /// How many bytes of the next requests are read during a response, unless a head may be larger.
    private static let readAhead = 256 * 1024
    /// How often in a row a full buffer is emptied and filled again before the loop continues with other work.
    private static let burst = 16

    init(_ socket: Socket, number: Int, plan: ScriptedConnection, of listener: Listener) {
        self.socket = socket
        self.plan = plan
        self.number = number
        self.listener = listener
        parser = RequestParser(
            maximumHeadSize: listener.configuration.maximumHeadSize,
            maximumBodySize: listener.configuration.maximumBodySize)
        writer = SocketWriter(socket)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() {
        do {
            poll = try LoopPoll(on: listener.loop, fd: socket.fd, events: .readable) { [unowned self] in ready($0) }
        } catch {
            return close()
        }
        if plan.end?.count == 0 { return endAsPlanned() }
        if let hold = plan.barrier, !hold.isReleased {
            // In a later turn, because the barrier can be released during this call.
            readPause = hold.wait(
                later { connection in
                    connection.readPause = nil
                    connection.advance()
                })
        }
        writer.waiting += plan.greeting
        advance()
    }

    private func ready(_ events: LoopPoll.Events) {
        if events.contains(.readable) || events.contains(.failed) { read() }
        if events.contains(.writable) { advance() }
    }

    // MARK: Reading

    private func read() {
        if phase == .closed { return }
        var limit = listener.scratch.count
        if phase == .open, case .limited(let bytes, let pause) = listener.configuration.readPace {
            limit = min(limit, max(1, bytes))
            readPause = after(pause) { connection in
                connection.readPause = nil
                connection.advance()
            }
        }
        if phase == .open, let end = plan.end { limit = min(limit, end.count - bytesRead) }
        let space = UnsafeMutableRawBufferPointer(rebasing: listener.scratch[..<limit])
        switch socket.receive(into: space) {
        case .bytes(let count):
            if phase == .open { parser.append(UnsafeRawBufferPointer(rebasing: space[..<count])) }
            bytesRead += count
            if phase == .open, bytesRead == plan.end?.count {
                take()
                return endAsPlanned()
            }
        case .wouldBlock: break
        case .ended: return inputEnded()
        case .failed: return abandon()
        }
        advance()
    }

    /// Parses what has been read, up to the end of a request. The next request is parsed after the response to that one
    /// is sent.
    private func take() {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        do throws(RequestRefusal) {
            while phase == .open, !isResponding, let event = try parser.next() {
                switch event {
                case .head(let head): begin(head)
                case .body(let bytes): request?.body += bytes
                case .end(let trailers): finish(trailers)
                }
            }
        } catch {
            let response = ScriptedResponse(status: error.status, body: error.reason + "\n")
            let encoder = ResponseEncoder(response, method: .get, minorVersion: 1, keepsAlive: false)
            writer.waiting += encoder.head
            encoder.write(Array((error.reason + "\n").utf8), to: &writer.waiting)
            phase = .finishing(byReset: false)
        }
    }

    private func begin(_ head: RequestHead) {
        let request = RecordedRequest(
            connection: number, method: head.method, target: head.target,
            origin: head.host.isEmpty ? listener.origin : "http://\(head.host)", headers: head.headers,
            rawHead: head.raw)
        self.head = head
        self.request = request
        guard head.framing != .length(0) else { return }
        if let response = listener.configuration.beforeBody?(request) {
            self.request = listener.script.record(request)
            isLast = true
            play(response)
        } else if head.expectsContinue {
            writer.waiting += "HTTP/1.1 100 Continue\r\n\r\n".utf8
        }
    }

    private func finish(_ trailers: HTTPFields) {
        guard var request else { return }
        request.trailers = trailers
        request = listener.script.record(request)
        self.request = request
        play(
            listener.script.response(to: request)
                ?? ScriptedResponse(
                    status: .notFound, body: listener.script.missingResponseMessage(for: request) + "\n"))
    }

    // MARK: Responding

    private func play(_ response: ScriptedResponse) {
        let loop = listener.loop
        let advance = bound { $0.advance() }
        let player = ResponsePlayer(
            response, to: head?.method ?? .get, scheduler: LoopScheduler(loop), slowsPieces: false,
            confine: { work in
                if loop.isCurrent {
                    work()
                    advance()
                } else {
                    loop.execute {
                        work()
                        advance()
                    }
                }
            },
            output: { [unowned self] in send($0) })
        self.player = player
        isResponding = true
        player.play()
    }

    private func send(_ output: ResponsePlayer.Output) {
        guard phase == .open, let head else { return }
        switch output {
        case .informational(let response):
            if head.minorVersion > 0 { writer.waiting += ResponseEncoder.bytes(of: response) }
        case .head(let response):
            let encoder = ResponseEncoder(response, for: head, isLast: isLast)
            self.encoder = encoder
            writer.waiting += encoder.head
        case .piece(let bytes): encoder?.write(bytes, to: &writer.waiting)
        case .raw(let bytes): writer.waiting += bytes
        case .pace(let pace):
            self.pace = pace
            writer.allowance = 0
        case .stay:
            player = nil
            if isLast { phase = .finishing(byReset: false) }
        case .end(let response):
            encoder?.writeEnd(response.trailers, to: &writer.waiting)
            player = nil
            if response.closesSilently || encoder?.keepsAlive == false { phase = .finishing(byReset: false) }
        case .close: end(byReset: false)
        case .reset, .fail: end(byReset: true)
        }
        if writer.isFull { player?.pause() }
    }

    private func end(byReset: Bool) {
        player = nil
        phase = .finishing(byReset: byReset)
    }

    /// Continues everything as far as possible: waiting requests, waiting bytes and the end of the connection.
    func advance() {
        var turns = 0
        while turns < Self.burst, proceed() { turns += 1 }
        if writer.isEmpty { endIfDue() }
        watch(continuing: turns == Self.burst)
    }

    /// Takes the next request and sends what waits. Returns whether there may be more to do now.
    private func proceed() -> Bool {
        guard phase != .closed else { return false }
        take()
        let sent = writer.total
        let progress = writer.flush()
        if writer.total > sent { listener.counts.withLock { $0.sent += writer.total - sent } }
        switch progress {
        case .failed: abandon()
        case .paced: return allowMore()
        case .blocked: break
        case .done:
            if let player {
                guard player.isPaused else { return false }
                player.resume()
                return true
            }
            guard isResponding else { return false }
            responseSent()
            return true
        }
        return false
    }

    /// Ends the pace of a response. The next request is taken in the same turn.
    private func responseSent() {
        isResponding = false
        pace = nil
        writer.allowance = nil
        writePause?.dispose()
        writePause = nil
    }

    /// Whether the connection reads. While bytes are unsent, it reads to see whether the client leaves.
    private var isReading: Bool {
        switch phase {
        case .open: readPause == nil && parser.waiting <= max(Self.readAhead, listener.configuration.maximumHeadSize)
        case .finishing: readPause == nil && !writer.isEmpty
        case .lingering: true
        case .closed: false
        }
    }

    private func watch(continuing: Bool) {
        guard phase != .closed else { return }
        var events: LoopPoll.Events = isReading ? .readable : []
        let isPaced = writePause != nil && writer.allowance == 0
        if !isPaced, continuing || !writer.isEmpty || player?.isPaused == true { events.insert(.writable) }
        do { try poll?.watch(for: events) } catch { close() }
    }
}
