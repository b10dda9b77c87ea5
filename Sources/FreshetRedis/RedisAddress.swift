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

    /// Where to connect to, without a look-up.
    enum RedisAddress: Sendable, Hashable {
        case numeric(String, port: Int)
        case socket(path: String)
    }

    extension RedisServer.Endpoint {
        /// The addresses, in the order in which to try them. A name is looked up off the loop, where libhiredis would do it.
        ///
        /// - Parameter completion: called once on the loop, unless that has ended; also before this returns.
        func lookUp(on loop: Loop, _ completion: @escaping @Sendable (Result<[RedisAddress], RedisFailure>) -> Void) {
            switch self {
            case .socket(let path):
                completion(.success([.socket(path: path)]))
            case .host(let host, let port):
                if let found = Self.addresses(of: host, flags: AI_NUMERICHOST) {
                    return completion(.success(found.map { .numeric($0, port: port) }))
                }
                // To its end, also when nobody waits any more: it can't be broken off.
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
