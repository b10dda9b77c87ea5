#if Redis
    import Foundation

    /// A listener that sends the same text on each connection, whatever the request is, or sends nothing.
    public final class Peer: @unchecked Sendable {
        public let port: Int
        private let listener: Int32
        private let lock = NSLock()
        private var accepted: [Int32] = []
        private var isClosed = false

        public init(answering response: String) {
            let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            port = RedisProcess.bind(listener)
            self.listener = listener
            listen(listener, 8)
            Thread.detachNewThread { [self] in
                while true {
                    let descriptor = accept(listener, nil, nil)
                    let continues = lock.withLock {
                        guard descriptor >= 0, !isClosed else { return false }
                        accepted.append(descriptor)
                        return true
                    }
                    guard continues else { return }
                    _ = response.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                }
            }
        }

        public func close() {
            lock.withLock {
                isClosed = true
                shutdown(listener, Int32(SHUT_RDWR))
                Glibc.close(listener)
                for descriptor in accepted { Glibc.close(descriptor) }
            }
        }
    }
#endif
