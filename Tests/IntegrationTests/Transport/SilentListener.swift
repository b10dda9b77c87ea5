import Foundation
import XCTest

/// A port of the loopback whose connections the system accepts, and no program reads.
final class SilentListener {
    let port: UInt16
    private let fd: Int32
    private var clients: [Int32] = []

    /// - Parameters:
    ///   - isFull: whether the system no longer completes connections either.
    ///   - port: the port; any free one if it is 0.
    init(isFull: Bool = false, at host: UInt32 = LoopbackSocket.loopback, port ofItsOwn: UInt16 = 0) throws {
        (fd, port) = LoopbackSocket.listening(backlog: isFull ? 0 : 16, at: host, port: ofItsOwn)
        // A backlog of 0 still accepts one connection.
        for _ in 0..<(isFull ? 2 : 0) {
            let client = socket(AF_INET, nonblockingStreamSocket, 0)
            clients.append(client)
            _ = LoopbackSocket.withAddress(host, port: port) { connect(client, $0, $1) }
        }
    }

    func close() {
        for client in clients + [fd] { Glibc.close(client) }
        clients = []
    }

    /// Accepts the next connection. The caller closes it.
    func connection() -> Int32 { accept(fd, nil, nil) }

    /// Accepts the one connection, and reads it to its end.
    func seesTheEnd() -> Bool {
        let connection = accept(fd, nil, nil)
        defer { Glibc.close(connection) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 20_000) > 0 else { return false }
            if read(connection, &buffer, buffer.count) <= 0 { return true }
        }
    }
}
