import Glibc

/// A listener whose connections the test serves byte by byte, also within the client's callbacks.
final class HandServer: @unchecked Sendable {
    private let descriptor: Int32
    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)/" }

    init() { (descriptor, port) = LoopbackSocket.listening() }

    deinit { close(descriptor) }

    /// The next connection; `nil` if there is none.
    func accept() -> HandConnection? {
        guard HandConnection.isReadable(descriptor) else { return nil }
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection < 0 ? nil : HandConnection(connection)
    }
}

/// A connection whose calls block for 5 seconds at most.
final class HandConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    static func isReadable(_ descriptor: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 5000) == 1
    }

    /// Reads up to `end`; `nil` if the client closes the connection or sends nothing.
    @discardableResult
    func read(to end: String = "\r\n\r\n") -> String? {
        var text = ""
        var byte: UInt8 = 0
        while !text.hasSuffix(end) {
            guard Self.isReadable(descriptor), recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            text.unicodeScalars.append(UnicodeScalar(byte))
        }
        return text
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// - Returns: whether all bytes were sent.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool { LoopbackSocket.send(bytes, to: descriptor) }

    /// Sends until there is no room for another byte, because the client reads nothing. The system sends the last bytes,
    /// which are less than a segment, after 200 ms.
    func fill() {
        let bytes = [UInt8](repeating: 0, count: 1 << 16)
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&writable, 1, 500) == 1 {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else { return }
        }
    }

    /// - Returns: whether the client has reset the connection.
    func waitForReset() -> Bool {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&watched, 1, 5000) == 1
    }

    /// Makes the system delay its acknowledgements until the next data is sent, as on a server that responds at once.
    func confirmLate() {
        var no: Int32 = 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &no, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the connection with a reset, whatever is still unread or unsent.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
