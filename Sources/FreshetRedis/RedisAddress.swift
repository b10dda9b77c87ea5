#if Redis
    import FreshetLoop

    import Glibc

    /// An address that needs no look-up of a name.
    enum RedisAddress: Sendable, Hashable {
        case numeric(String, port: Int)
        case socket(path: String)
    }

    extension RedisServer.Endpoint {
        /// Finds the addresses of the endpoint, in the order in which to try them. `NameLookup` looks up a name, because
        /// libhiredis would look it up on the loop and block it, and because the end of the loop must not wait for it.
        ///
        /// - Parameter completion: called once on the loop, possibly before this method returns; not called after the result
        ///   was cancelled or the loop has ended.
        /// - Returns: the look-up; `nil` if none is needed.
        func lookUp(
            on loop: Loop, _ completion: @escaping @Sendable (Result<[RedisAddress], RedisFailure>) -> Void
        ) -> NameLookup? {
            switch self {
            case .socket(let path):
                completion(.success([.socket(path: path)]))
                return nil
            case .host(let host, let port):
                if let found = Self.addresses(ofNumeric: host) {
                    completion(.success(found.map { .numeric($0, port: port) }))
                    return nil
                }
                return NameLookup.start(host) { result in
                    loop.execute {
                        completion(
                            result.map { $0.map { .numeric($0, port: port) } }
                                .mapError { .away("there is no address for \(host): \($0.reason)") })
                    }
                }
            }
        }

        /// Returns an address as the system writes it; `nil` if `host` is a name.
        private static func addresses(ofNumeric host: String) -> [String]? {
            var hints = addrinfo()
            hints.ai_flags = AI_NUMERICHOST
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var first: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &first) == 0 else { return nil }
            defer { freeaddrinfo(first) }
            var found: [String] = []
            var next = first
            while let info = next?.pointee {
                var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let result = getnameinfo(
                    info.ai_addr, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
                let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if result == 0, !found.contains(text) { found.append(text) }
                next = info.ai_next
            }
            return found.isEmpty ? nil : found
        }
    }
#endif
