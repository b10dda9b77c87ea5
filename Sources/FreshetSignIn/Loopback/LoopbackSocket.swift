import FreshetHTTP
import FreshetLoop
import Glibc

/// A non-blocking TCP socket on a loopback address. The owner has to close it.
struct LoopbackSocket {
    enum Input {
        case bytes(Int)
        case nothingYet
        /// The peer has closed or reset the connection.
        case over
    }

    let fd: Int32

    /// Opens one socket, or two for `localhost`, which browsers resolve to either address.
    ///
    /// - Throws: `HTTPClientError` with code `connect` if the port is taken, or `invalidRequest` if the number is no port.
    static func listening(_ address: LoopbackReceiver.Address) throws -> (sockets: [LoopbackSocket], port: Int) {
        guard (0...65_535).contains(address.port) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "\(address.port) is no port",
                recoverySuggestion: "choose a callback port from 1 to 65535, or 0 for any")
        }
        switch address.host {
        case .ipv4: return try single(AF_INET, address.port)
        case .ipv6: return try single(AF_INET6, address.port)
        case .localhost: return try onBothFamilies(address.port, tries: 16)
        }
    }

    /// Opens a port that is free on both addresses. Another program that listens on one of them would get the callbacks of the
    /// browsers that prefer it.
    ///
    /// - Parameter tries: how many free ports are tried if `port` is 0.
    private static func onBothFamilies(_ port: Int, tries: Int) throws -> (sockets: [LoopbackSocket], port: Int) {
        let first = try single(AF_INET, port)
        do {
            let second = try single(AF_INET6, first.port)
            return (first.sockets + second.sockets, first.port)
        } catch {
            // A machine without IPv6 does not resolve `localhost` to an IPv6 address.
            guard let free = try? single(AF_INET6, 0) else { return first }
            for socket in first.sockets + free.sockets { socket.end() }
            guard port == 0, tries > 1 else { throw error }
            return try onBothFamilies(port, tries: tries - 1)
        }
    }

    private static func single(_ family: Int32, _ port: Int) throws -> (sockets: [LoopbackSocket], port: Int) {
        let opened = LoopbackSocket(fd: socket(family, Int32(SOCK_STREAM.rawValue), 0))
        guard opened.fd >= 0, opened.allowsReuse(), opened.prepare(), let bound = opened.boundPort(family, port) else {
            let reason = String(cString: strerror(errno))
            if opened.fd >= 0 { opened.end() }
            throw HTTPClientError(
                .connect, phase: .preparing,
                message: "port \(port) of this machine can't be listened on: \(reason)",
                recoverySuggestion: "choose another callback port, or 0 for any")
        }
        return ([opened], bound)
    }

    /// Allows the port to be bound again. Closed connections of an earlier login would block a fixed port for a minute, though
    /// they receive nothing any more.
    private func allowsReuse() -> Bool {
        var isOn: Int32 = 1
        return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Binds the port and listens on it.
    ///
    /// - Returns: the port; `nil` with `errno` set if it cannot be bound.
    private func boundPort(_ family: Int32, _ port: Int) -> Int? {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = in_port_t(UInt16(port).bigEndian)
        four.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = in_port_t(UInt16(port).bigEndian)
        six.sin6_addr = in6addr_loopback
        if family == AF_INET { return listens(at: &four) ? Int(UInt16(bigEndian: four.sin_port)) : nil }
        return listens(at: &six) ? Int(UInt16(bigEndian: six.sin6_port)) : nil
    }

    private func listens<Address>(at address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(fd, pointer, length) == 0 && listen(fd, 64) == 0 && getsockname(fd, pointer, &length) == 0
            }
        }
    }

    /// Makes the socket non-blocking, and keeps child processes such as a browser from inheriting it.
    private func prepare() -> Bool {
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Accepts the next connection.
    ///
    /// - Returns: `nil` if none waits.
    /// - Throws: `LoopError` if one waits that can't be accepted now, for example because the process has no descriptors left.
    func next() throws -> LoopbackSocket? {
        while true {
            let accepted = LoopbackSocket(fd: accept(fd, nil, nil))
            if accepted.fd >= 0 {
                if accepted.prepare() { return accepted }
                accepted.end()
                continue
            }
            switch errno {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED: continue
            default: throw LoopError(code: -errno)
            }
        }
    }

    func receive(into buffer: inout [UInt8]) -> Input {
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .over }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .nothingYet : .over
        }
    }

    /// Sends a page and closes the sending side. A page fits into any socket's buffer.
    func write(_ page: [UInt8]) {
        _ = send(fd, page, page.count, Int32(MSG_NOSIGNAL))
        shutdown(fd, Int32(SHUT_WR))
    }

    func end() {
        close(fd)
    }
}
