import Foundation
import FreshetCore
import Glibc

/// A listener that sends a response once `response` returns one for the bytes so far. It then reads on, or closes the
/// connection.
final class LoopbackListener: @unchecked Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let thread: Thread
    private let ended = DispatchSemaphore(value: 0)
    /// The connection that it serves; negative if there is none.
    private let current = Locked<Int32>(-1)

    var url: String { "http://127.0.0.1:\(port)/" }

    init(leaves: Bool = false, _ response: @escaping @Sendable (String) -> String?) {
        let (descriptor, port) = LoopbackSocket.listening()
        self.port = port
        self.descriptor = descriptor
        let (ended, current) = (ended, current)
        thread = Thread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                current.withLock { $0 = connection }
                Self.serve(connection, leaves, response)
                current.withLock {
                    $0 = -1
                    Glibc.close(connection)
                }
            }
            ended.signal()
        }
        thread.start()
    }

    private static func serve(_ connection: Int32, _ leaves: Bool, _ response: (String) -> String?) {
        var request = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var hasResponded = false
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer[..<count]
            if !hasResponded, let text = response(String(decoding: request, as: UTF8.self)) {
                hasResponded = true
                LoopbackSocket.send(text, to: connection)
                if leaves { break }
            }
        }
    }

    /// Closes the listener and its current connection, which a client would otherwise keep.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        current.withLock { _ = shutdown($0, Int32(SHUT_RDWR)) }
        ended.wait()
        Glibc.close(descriptor)
    }
}
