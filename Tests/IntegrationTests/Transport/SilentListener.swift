import Foundation
import XCTest

/// A port of the loopback that the system answers, but nobody behind it.
final class SilentListener {
    let port: UInt16
    private let fd: Int32
    private var clients: [Int32] = []

    /// - Parameter isFull: whether the system does not even complete connections any more.
    init(isFull: Bool = false) throws {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.fd = fd
        let bound = Self.withAddress(port: 0) { bind(fd, $0, $1) }
        XCTAssertEqual(bound, 0)
        XCTAssertEqual(listen(fd, isFull ? 0 : 16), 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
        }
        let port = UInt16(bigEndian: address.sin_port)
        self.port = port
        // A backlog of none takes one.
        for _ in 0..<(isFull ? 2 : 0) {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            clients.append(client)
            _ = Self.withAddress(port: port) { connect(client, $0, $1) }
        }
    }

    func close() {
        for client in clients + [fd] { Glibc.close(client) }
        clients = []
    }

    /// Takes the next connection; it is the caller's.
    func connection() -> Int32 { accept(fd, nil, nil) }

    /// Takes the one connection that came, and reads it to its end.
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

    private static func withAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
