import Glibc
import XCTest

/// Helpers for tests that use sockets directly.
enum LoopbackSocket {
    /// 127.0.0.1.
    static let loopback: UInt32 = 0x7F00_0001

    /// A socket that listens only on this machine, and its port.
    ///
    /// - Parameter port: the port; any free one if it is 0.
    static func listening(
        backlog: Int32 = 8, at host: UInt32 = loopback, port: UInt16 = 0
    ) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, streamSocket, 0)
        XCTAssertEqual(withAddress(host, port: port) { bind(descriptor, $0, $1) }, 0)
        XCTAssertEqual(listen(descriptor, backlog), 0)
        return (descriptor, self.port(of: descriptor))
    }

    /// A socket that is connected to a port of this machine, and does not claim its own port for itself.
    ///
    /// - Parameter own: its own port; any port if it is 0.
    static func connected(to port: UInt16, from own: UInt16 = 0) -> Int32 {
        let descriptor = socket(AF_INET, streamSocket, 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        XCTAssertEqual(withAddress(port: own) { bind(descriptor, $0, $1) }, 0)
        XCTAssertEqual(withAddress(port: port) { connect(descriptor, $0, $1) }, 0)
        return descriptor
    }

    /// The port of a socket of this machine.
    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                XCTAssertEqual(getsockname(descriptor, address, &size), 0)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Calls `body` with the address of a port of this machine, in the form that the system requires.
    static func withAddress(
        _ host: UInt32 = loopback, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends the whole text, or as much as the other side accepts before it closes.
    static func send(_ text: String, to connection: Int32) { send(Array(text.utf8), to: connection) }

    /// - Returns: whether all bytes were sent.
    @discardableResult
    static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
