import Glibc

/// A blocking TCP connection to loopback that shows each byte of a server. Reads give up after 30 s.
final class PlainClient {
    private let fd: Int32
    private(set) var received: [UInt8] = []

    init(port: Int, receiveBuffer: Int? = nil) {
        fd = socket(AF_INET, streamSocket, 0)
        precondition(fd >= 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer.map(Int32.init) {
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, String(cString: strerror(errno)))
    }

    deinit { Glibc.close(fd) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
            precondition(count > 0, String(cString: strerror(errno)))
            rest = rest.dropFirst(count)
        }
    }

    /// Closes this end for writing.
    func finish() {
        shutdown(fd, Int32(SHUT_WR))
    }

    /// The text up to and including `end`, or all text if the connection ends before.
    func read(upTo end: String) -> String {
        while true {
            // The search is in bytes, because a CR LF is one character.
            if let range = received.firstRange(of: Array(end.utf8)) {
                defer { received.removeFirst(range.upperBound) }
                return String(decoding: received[..<range.upperBound], as: UTF8.self)
            }
            if receive() <= 0 { return String(decoding: received, as: UTF8.self) }
        }
    }

    /// Everything up to the end of the connection, with 0 for an orderly end, or the system's error.
    func readToEnd() -> (text: String, error: Int32) {
        var result = 1
        while result > 0 { result = receive() }
        defer { received = [] }
        return (String(decoding: received, as: UTF8.self), result == 0 ? 0 : errno)
    }

    private func receive() -> Int {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(fd, &buffer, buffer.count)
        if count > 0 { received += buffer[..<count] }
        return count
    }
}
