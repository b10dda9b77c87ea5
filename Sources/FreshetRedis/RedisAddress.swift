#if Redis
    import FreshetCore
    import FreshetLoop

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// An address that needs no look-up of a name.
    enum RedisAddress: Sendable, Hashable {
        case numeric(String, port: Int)
        case socket(path: String)
    }

    extension RedisServer.Endpoint {
        /// Finds the addresses of the endpoint, in the order in which to try them. A blocking scheduler looks up a name,
        /// because libhiredis would look it up on the loop and block it.
        ///
        /// - Parameter completion: called once on the loop, possibly before this method returns; never called if the loop has
        ///   ended.
        func lookUp(on loop: Loop, _ completion: @escaping @Sendable (Result<[RedisAddress], RedisFailure>) -> Void) {
            switch self {
            case .socket(let path):
                completion(.success([.socket(path: path)]))
            case .host(let host, let port):
                if let found = Self.addresses(of: host, flags: AI_NUMERICHOST) {
                    return completion(.success(found.map { .numeric($0, port: port) }))
                }
                // The look-up runs to its end even if nobody waits for it any more: `getaddrinfo` can't be cancelled.
                _ = BlockingScheduler(on: loop).schedule(()) {
                    let found = Self.addresses(of: host, flags: 0)
                    loop.execute {
                        completion(
                            found.map { .success($0.map { .numeric($0, port: port) }) }
                                ?? .failure(.away("there is no address for \(host)")))
                    }
                    return Disposables.create()
                }
            }
        }

        private static func addresses(of host: String, flags: Int32) -> [String]? {
            var hints = addrinfo()
            hints.ai_flags = flags
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
