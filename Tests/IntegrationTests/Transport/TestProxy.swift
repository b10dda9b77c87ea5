import Foundation
import FreshetCore
import XCTest

/// A proxy on the loopback: HTTP with CONNECT, or SOCKS5. It connects to the loopback whatever name it is asked for.
final class TestProxy: Sendable {
    enum Kind: Sendable {
        /// Responds to CONNECT with `status`, and with 407 to a client without `credentials` (in base64).
        case http(credentials: String? = nil, status: String = "200 OK")
        /// Requires `user` and `password` unless they are `nil`.
        case socks5(user: String? = nil, password: String? = nil)
    }

    let port: UInt16
    private let fd: Int32
    private let kind: Kind
    private let log = Locked<[String]>([])
    private let threads = DispatchGroup()

    /// The requests of its clients: the heads of requests, or `host:port`.
    var requests: [String] { log.withLock { $0 } }

    init(_ kind: Kind = .http()) {
        self.kind = kind
        (fd, port) = LoopbackSocket.listening(backlog: 64)
        start { $0.accept() }
    }

    func close() {
        shutdown(fd, Int32(SHUT_RDWR))
        threads.wait()
        Glibc.close(fd)
    }

    private func start(_ work: @escaping @Sendable (TestProxy) -> Void) {
        threads.enter()
        let thread = Thread { [self] in
            work(self)
            threads.leave()
        }
        thread.start()
    }

    private func accept() {
        while true {
            let client = Glibc.accept(fd, nil, nil)
            if client < 0 { return }
            start { proxy in
                proxy.serve(client)
                Glibc.close(client)
            }
        }
    }

    private func serve(_ client: Int32) {
        switch kind {
        case .http(let credentials, let status): serveHTTP(client, credentials, status)
        case .socks5(let user, let password): serveSocks(client, user, password)
        }
    }

    // MARK: HTTP

    private func serveHTTP(_ client: Int32, _ credentials: String?, _ status: String) {
        while let head = Sockets.head(client) {
            log.withLock { $0.append(head) }
            let words = head.split(separator: " ")
            if let credentials, !head.contains("Proxy-Authorization: Basic \(credentials)\r\n") {
                Sockets.send(
                    client,
                    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n"
                        + "Content-Length: 0\r\n\r\n")
                continue
            }
            guard words[0] == "CONNECT" else {
                Sockets.send(client, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nproxied")
                continue
            }
            Sockets.send(client, "HTTP/1.1 \(status)\r\nX-Of-The-Proxy: yes\r\n\r\n")
            guard status.hasPrefix("200") else { return }
            return tunnel(client, UInt16(words[1].split(separator: ":").last!)!)
        }
    }

    // MARK: SOCKS5, RFC 1928 and 1929

    private func serveSocks(_ client: Int32, _ user: String?, _ password: String?) {
        guard let greeting = Sockets.bytes(client, 2) else { return }
        let methods = Sockets.bytes(client, Int(greeting[1])) ?? []
        let method: UInt8 = user == nil ? 0 : 2
        guard methods.contains(method) else { return Sockets.send(client, [5, 0xFF]) }
        Sockets.send(client, [5, method])
        if let user {
            guard let start = Sockets.bytes(client, 2), let name = Sockets.bytes(client, Int(start[1])),
                let length = Sockets.bytes(client, 1), let word = Sockets.bytes(client, Int(length[0]))
            else { return }
            let isRight = name == Array(user.utf8) && word == Array((password ?? "").utf8)
            Sockets.send(client, [1, isRight ? 0 : 1])
            if !isRight { return }
        }
        guard let request = Sockets.bytes(client, 4) else { return }
        let host: String
        switch request[3] {
        case 3:
            guard let length = Sockets.bytes(client, 1), let name = Sockets.bytes(client, Int(length[0])) else {
                return
            }
            host = String(decoding: name, as: UTF8.self)
        default:
            guard let address = Sockets.bytes(client, request[3] == 1 ? 4 : 16) else { return }
            host = address.map(String.init).joined(separator: ".")
        }
        guard let bytes = Sockets.bytes(client, 2) else { return }
        let port = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        log.withLock { $0.append("\(host):\(port)") }
        Sockets.send(client, [5, host == "refused.test" ? 5 : 0, 0, 1, 127, 0, 0, 1, 0, 0])
        if host != "refused.test" { tunnel(client, port) }
    }

    // MARK: The tunnel

    private func tunnel(_ client: Int32, _ port: UInt16) {
        let server = Sockets.connect(port)
        guard server >= 0 else { return }
        let isOver = DispatchSemaphore(value: 0)
        start { _ in
            Sockets.copy(server, client)
            isOver.signal()
        }
        Sockets.copy(client, server)
        // The other direction ends as well, so that nothing uses the descriptor any more.
        shutdown(server, Int32(SHUT_RDWR))
        shutdown(client, Int32(SHUT_RDWR))
        isOver.wait()
        Glibc.close(server)
    }
}

/// Blocking sockets of the loopback.
private enum Sockets {
    static func connect(_ port: UInt16) -> Int32 {
        let fd = socket(AF_INET, streamSocket, 0)
        if LoopbackSocket.withAddress(port: port, { Glibc.connect(fd, $0, $1) }) == 0 { return fd }
        close(fd)
        return -1
    }

    static func copy(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            if count <= 0 { break }
            if Glibc.send(to, buffer, count, Int32(MSG_NOSIGNAL)) < 0 { break }
        }
        shutdown(to, Int32(SHUT_WR))
    }

    static func bytes(_ fd: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: max(1, count))
        if count == 0 { return [] }
        return recv(fd, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    static func head(_ fd: Int32) -> String? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = bytes(fd, 1) else { return nil }
            head += byte
        }
        return String(decoding: head, as: UTF8.self)
    }

    static func send(_ fd: Int32, _ text: String) { send(fd, Array(text.utf8)) }

    static func send(_ fd: Int32, _ bytes: [UInt8]) {
        _ = Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
