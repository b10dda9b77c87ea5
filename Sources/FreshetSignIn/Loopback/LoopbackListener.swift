import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The sockets of a ``LoopbackReceiver``. It belongs to the loop.
final class LoopbackListener {
    let redirectURI: String
    let address: LoopbackReceiver.Address
    /// The required value of a request's `Host` field.
    let authority: String
    let received: (Callback) -> CallbackResult
    let loop: Loop
    private var sockets: [(socket: LoopbackSocket, poll: LoopPoll)] = []
    private var connections: [ObjectIdentifier: LoopbackConnection] = [:]

    /// The largest number of open connections. It bounds the memory that an attacker can occupy.
    private static let connectionLimit = 64
    /// How long no connection is accepted after one could not be.
    private static let pause = Duration.milliseconds(100)
    private var resuming: LoopTimer?
    private var ending: UInt64?

    /// - Parameter failed: called if the loop shuts down before ``close()``.
    init(
        on loop: Loop, _ address: LoopbackReceiver.Address, _ received: @escaping (Callback) -> CallbackResult,
        _ failed: @escaping (any Error) -> Void
    ) throws {
        self.loop = loop
        self.address = address
        self.received = received
        let (opened, port) = try LoopbackSocket.listening(address)
        let host = address.host == .ipv6 ? "[::1]" : address.host.rawValue
        authority = port == 80 ? host : "\(host):\(port)"
        redirectURI = "http://\(authority)\(address.path)"
        do {
            for socket in opened {
                let poll = try LoopPoll(on: loop, fd: socket.fd, events: .readable) { [unowned self] _ in accept(socket)
                }
                sockets.append((socket, poll))
            }
        } catch {
            for (_, poll) in sockets { poll.close() }
            for socket in opened { socket.end() }
            throw error
        }
        ending = loop.atEnd { [self] in
            close()
            failed(HTTPClientError.loginLoopEnded)
        }
    }

    private func accept(_ socket: LoopbackSocket) {
        do {
            while let connection = try socket.next() { add(connection) }
        } catch {
            // The connection still waits, so the socket stays readable. Without a pause the loop would spin.
            for (_, poll) in sockets { try? poll.watch(for: []) }
            let timer = resuming ?? LoopTimer(on: loop) { [unowned self] in resume() }
            resuming = timer
            timer.start(after: Self.pause)
        }
    }

    private func resume() {
        for (_, poll) in sockets { try? poll.watch(for: .readable) }
    }

    private func add(_ connection: LoopbackSocket) {
        guard connections.count < Self.connectionLimit else { return connection.end() }
        do {
            let opened = try LoopbackConnection(connection, of: self)
            connections[ObjectIdentifier(opened)] = opened
        } catch {
            connection.end()
        }
    }

    func remove(_ connection: LoopbackConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    func close() {
        if let ending { loop.removeEnd(ending) }
        ending = nil
        resuming?.close()
        resuming = nil
        for (socket, poll) in sockets {
            poll.close()
            socket.end()
        }
        sockets = []
        for connection in connections.values { connection.close() }
    }
}
