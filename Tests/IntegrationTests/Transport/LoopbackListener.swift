import Foundation
import Glibc
import XCTest

/// A listener that answers what has come, once `answer` finds that it should, and reads on or leaves.
final class LoopbackListener: @unchecked Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let thread: Thread
    private let ended = DispatchSemaphore(value: 0)

    var url: String { "http://127.0.0.1:\(port)/" }

    init(leaves: Bool = false, _ answer: @escaping @Sendable (String) -> String?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                XCTAssertEqual(bind(descriptor, address, size), 0)
                XCTAssertEqual(listen(descriptor, 8), 0)
                XCTAssertEqual(getsockname(descriptor, address, &size), 0)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.descriptor = descriptor
        let ended = ended
        thread = Thread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, leaves, answer)
            }
            ended.signal()
        }
        thread.start()
    }

    private static func serve(_ connection: Int32, _ leaves: Bool, _ answer: (String) -> String?) {
        var request = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isAnswered = false
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer[..<count]
            if !isAnswered, let text = answer(String(decoding: request, as: UTF8.self)) {
                isAnswered = true
                sendAll(Array(text.utf8), to: connection)
                if leaves { break }
            }
        }
        close(connection)
    }

    private static func sendAll(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        ended.wait()
        Glibc.close(descriptor)
    }

    private static func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}
