import FreshetLoop
import Glibc

/// A non-blocking TCP socket on loopback, identified by its descriptor. The owner of the value closes the socket.
struct Socket {
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        /// The peer sends nothing more.
        case ended
        case failed
    }

    let fd: Int32

    /// Creates a socket that listens on 127.0.0.1; port 0 uses a free one.
    ///
    /// - Throws: ``LoopError`` with the system's error.
    static func listening(on port: Int, receiveBuffer: Int?) throws -> (socket: Socket, port: Int) {
        guard let number = UInt16(exactly: port) else { throw LoopError(code: -EINVAL) }
        let socket = Socket(fd: try check(System.stream()))
        do {
            try check(socket.set(SOL_SOCKET, SO_REUSEADDR, 1))
            // Accepted sockets inherit this value, and it determines the window from the first segment on.
            if let receiveBuffer { try check(socket.set(SOL_SOCKET, SO_RCVBUF, Int32(clamping: receiveBuffer))) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(number.bigEndian)
            address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    try check(bind(socket.fd, pointer, length))
                    try check(listen(socket.fd, 4096))
                    try check(getsockname(socket.fd, pointer, &length))
                }
            }
            return (socket, Int(UInt16(bigEndian: address.sin_port)))
        } catch {
            socket.close()
            throw error
        }
    }

    /// Returns the next waiting connection; `nil` if there is none.
    func accept() throws -> Socket? {
        while true {
            let fd = System.accept(self.fd)
            if fd >= 0 {
                let socket = Socket(fd: fd)
                socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                return socket
            }
            switch errno {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED: continue
            default: throw LoopError(code: -errno)
            }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(fd, buffer.baseAddress, buffer.count, 0) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer { write(fd, bytes.baseAddress, bytes.count) }
    }

    private func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed
        }
    }

    /// The number of sent bytes that are not yet in the buffers of the peer.
    var unsent: Int {
        var count: Int32 = 0
        return ioctl(fd, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Whether the peer has reset the connection, so that the rest is never sent.
    var isDead: Bool {
        var entry = pollfd(fd: fd, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Tells the peer that nothing more is sent.
    func finish() {
        System.finish(fd)
    }

    func close() {
        _ = System.close(fd)
    }

    /// Ends the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    @discardableResult
    private func set(_ level: Int32, _ option: Int32, _ value: Int32) -> Int32 {
        var value = value
        return setsockopt(fd, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    @discardableResult
    private static func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw LoopError(code: -errno) }
        return result
    }
}

/// The calls whose name a method of ``Socket`` hides, or whose constants have another type than their parameter.
private enum System {
    static func close(_ fd: Int32) -> Int32 { Glibc.close(fd) }
    static func accept(_ fd: Int32) -> Int32 { nonBlocking(Glibc.accept(fd, nil, nil)) }
    static func stream() -> Int32 { nonBlocking(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) }
    static func finish(_ fd: Int32) { shutdown(fd, Int32(SHUT_WR)) }

    private static func nonBlocking(_ fd: Int32) -> Int32 {
        if fd >= 0 {
            _ = fcntl(fd, F_SETFL, O_NONBLOCK)
            _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
        }
        return fd
    }
}
