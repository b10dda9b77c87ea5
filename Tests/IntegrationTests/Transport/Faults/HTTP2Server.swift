import Foundation
import FreshetCore

/// Speaks HTTP/2 frame by frame, so that a test can send invalid frames. Source: RFC 9113.
final class HTTP2Server: TLSServer, @unchecked Sendable {
    /// A request. The server reads only its stream and its connection.
    struct StreamRequest: Sendable {
        var stream: UInt32
        /// The numbers of the request and of its connection, among all; they begin at 1.
        var number: Int
        var connection: Int
    }

    /// One step of the response to a request.
    enum Action: Sendable {
        case frame(UInt8, flags: UInt8 = 0, stream: UInt32, [UInt8] = [])
        case raw([UInt8])
        /// Waits until the test signals the semaphore, for 10 s at most.
        case wait(DispatchSemaphore)
        /// Sends the same frame `times` times, by default without an end, as fast as the client reads. The actions after it
        /// have no effect.
        indirect case repeated(Action, times: Int = .max)
        /// Ends the connection without the closing message of TLS.
        case end

        /// The head of a response with status 200.
        static func head(_ stream: UInt32, length: Int? = nil, ends: Bool = false) -> Action {
            var block: [UInt8] = [0x88]
            // The literal has the name of index 28, which is Content-Length.
            if let length { block += [0x0F, 0x0D, UInt8("\(length)".utf8.count)] + Array("\(length)".utf8) }
            return .frame(1, flags: ends ? 5 : 4, stream: stream, block)
        }

        static func data(_ stream: UInt32, _ text: String, ends: Bool = false) -> Action {
            .frame(0, flags: ends ? 1 : 0, stream: stream, Array(text.utf8))
        }

        static func reset(_ stream: UInt32, _ code: UInt32) -> Action { .frame(3, stream: stream, bytes(code)) }

        static func goAway(last: UInt32, _ code: UInt32 = 0) -> Action {
            .frame(7, stream: 0, bytes(last) + bytes(code))
        }

        /// The bytes that the server sends.
        var bytes: [UInt8] {
            switch self {
            case .frame(let type, let flags, let stream, let payload):
                let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
                return length + [type, flags] + Action.bytes(stream) + payload
            case .raw(let bytes): return bytes
            case .wait, .repeated, .end: return []
            }
        }

        static func bytes(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
        }
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let response: @Sendable (StreamRequest) -> [Action]
    private let settings: [UInt8]
    private var buffer: [UInt8] = []
    private var requests = 0
    private var connections = 0
    private var isFlooding = false
    private let floods = DispatchGroup()
    private let floodBegins = DispatchSemaphore(value: 0)
    private let counts = Locked((requests: 0, connections: 0))

    var requestCount: Int { counts.withLock { $0.requests } }
    var connectionCount: Int { counts.withLock { $0.connections } }

    /// - Parameter initialWindow: how many bytes of a body a client may send before the server opens the window.
    init(initialWindow: UInt32? = nil, _ response: @escaping @Sendable (StreamRequest) -> [Action]) throws {
        self.response = response
        settings = initialWindow.map { [0, 4] + Action.bytes($0) } ?? []
        try super.init(protocols: "h2")
        start()
    }

    override func received(_ bytes: ArraySlice<UInt8>) {
        buffer += bytes
        while true {
            if buffer.starts(with: Self.preface.prefix(buffer.count)), !buffer.isEmpty {
                guard buffer.count >= Self.preface.count else { return }
                buffer.removeFirst(Self.preface.count)
                connections += 1
                counts.withLock { $0.connections += 1 }
                perform(.frame(4, stream: 0, settings))
            }
            guard buffer.count >= 9 else { return }
            let length = Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2])
            guard buffer.count >= 9 + length else { return }
            let (type, flags) = (buffer[3], buffer[4])
            let stream = buffer[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            let payload = Array(buffer[9..<(9 + length)])
            buffer.removeFirst(9 + length)
            take(type, flags, stream, payload)
        }
    }

    private func take(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) {
        switch type {
        case 1:
            requests += 1
            counts.withLock { $0.requests += 1 }
            for action in response(StreamRequest(stream: stream, number: requests, connection: connections)) {
                perform(action)
            }
        case 4 where flags & 1 == 0: perform(.frame(4, flags: 1, stream: 0))
        case 6 where flags & 1 == 0: perform(.frame(6, flags: 1, stream: 0, payload))
        default: break
        }
    }

    override func stop() {
        super.stop()
        floods.wait()
    }

    func waitForFlood() {
        _ = floodBegins.wait(timeout: .now() + 10)
    }

    /// Sends on a thread of its own, so that the server reads meanwhile what the client sends.
    private func flood(_ frame: [UInt8], times: Int) {
        isFlooding = true
        let together = max(1, 65_536 / frame.count)
        let piece = Array(repeatElement(frame, count: together).joined())
        floods.enter()
        Thread.detachNewThread { [self] in
            defer { floods.leave() }
            var left = times
            floodBegins.signal()
            while left >= together, send(piece) { left -= together }
            if left < together { send(Array(piece.prefix(left * frame.count))) }
        }
    }

    private func perform(_ action: Action) {
        if isFlooding { return }
        switch action {
        case .frame, .raw: send(action.bytes)
        case .repeated(let frame, let times): flood(frame.bytes, times: times)
        case .wait(let turn): _ = turn.wait(timeout: .now() + 10)
        case .end: kill()
        }
    }
}
