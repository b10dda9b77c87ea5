import Foundation
import FreshetCore
import XCTest

/// A socket in the file system that sends the same response on each connection.
final class UnixListener: Sendable {
    let path: String
    private let fd: Int32
    private let text = Locked("")
    private let thread = DispatchGroup()

    var received: String { text.withLock { $0 } }

    /// - Parameter wait: called before each response. With it, a connection stays open until the client closes it.
    init(answering response: String, keepingOpenAfter wait: (@Sendable () -> Void)? = nil) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString).sock").path
        fd = socket(AF_UNIX, streamSocket, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let (fd, text) = (fd, text)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        XCTAssertEqual(bound, 0)
        XCTAssertEqual(listen(fd, 16), 0)
        DispatchQueue.global().async(group: thread) {
            while true {
                let client = accept(fd, nil, nil)
                if client < 0 { return }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(client, &bytes, bytes.count)
                text.withLock { $0 += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) }
                wait?()
                _ = response.withCString { write(client, $0, strlen($0)) }
                if wait != nil { _ = read(client, &bytes, bytes.count) }
                Glibc.close(client)
            }
        }
    }

    func close() {
        shutdown(fd, Int32(SHUT_RDWR))
        thread.wait()
        Glibc.close(fd)
        unlink(path)
    }
}
