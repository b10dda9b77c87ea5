import FreshetCore
import FreshetHTTP
import FreshetLoop

/// One connection of a browser. It reads one request, sends one page and closes. It belongs to the loop.
final class LoopbackConnection {
    private static let longestHead = 16 * 1024
    /// How long a connection may stay without a request: some browsers connect in advance and send nothing.
    private static let timeout = Duration.seconds(5)

    private let socket: LoopbackSocket
    private unowned let listener: LoopbackListener
    private var poll: LoopPoll?
    private var deadline: (any Disposable)?
    private var head: [UInt8] = []
    private var isClosed = false
    private var isResponding = false

    init(_ socket: LoopbackSocket, of listener: LoopbackListener) throws {
        self.socket = socket
        self.listener = listener
        poll = try LoopPoll(on: listener.loop, fd: socket.fd, events: .readable) { [unowned self] _ in read() }
        deadline = LoopScheduler(listener.loop).scheduleRelative(
            LoopBound(WeakConnection(self), on: listener.loop), dueTime: Self.timeout
        ) { connection in
            connection.value.connection?.close()
            return Disposables.create()
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isClosed {
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                head += buffer[..<count]
                if let end = Self.end(of: head) { return respond(to: Array(head[..<end])) }
                if head.count > Self.longestHead {
                    return finish(with: LoopbackPage.status(431, "Request Header Fields Too Large").bytes)
                }
            case .nothingYet: return
            case .over: return close()
            }
        }
    }

    private static func end(of head: [UInt8]) -> Int? {
        let blank = Array("\r\n\r\n".utf8)
        guard head.count >= blank.count else { return nil }
        return (0...head.count - blank.count).first { head[$0..<$0 + blank.count].elementsEqual(blank) }
    }

    private func respond(to head: [UInt8]) {
        // The callback ends the login during this call, and so closes the listener.
        isResponding = true
        let listener = listener
        let page = LoopbackPage(for: head, at: listener.address, listener.authority, listener.received)
        finish(with: head.starts(with: "HEAD ".utf8) ? page.bytesWithoutBody : page.bytes)
    }

    private func finish(with response: [UInt8]) {
        socket.write(response)
        isResponding = false
        close()
    }

    func close() {
        if isClosed || isResponding { return }
        isClosed = true
        poll?.close()
        deadline?.dispose()
        socket.end()
        listener.remove(self)
    }
}

/// A weak reference, so that a deadline does not retain its connection.
private struct WeakConnection {
    weak var connection: LoopbackConnection?

    init(_ connection: LoopbackConnection) {
        self.connection = connection
    }
}
