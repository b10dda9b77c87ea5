#if Redis
    import CFreshetRedis
    import FreshetCore
    import FreshetLoop

    import Glibc

    /// One connection to a Redis server. libhiredis connects, buffers and parses the protocol; the loop reports when the socket
    /// is ready.
    ///
    /// libhiredis's own asynchronous layer is not used; see the decision `RedisUsesHiredisWithoutItsAsyncLayer`.
    // Not sendable: only the loop's thread uses it.
    final class RedisSocket {
        enum Event {
            case connected
            case reply(RedisReply)
            /// The connection has ended. No event follows.
            case ended(RedisFailure)
        }

        /// The longest reply in bytes. No command of this module has a reply of this length.
        private static let longestResponse = 4 << 20

        private let loop: Loop
        private var context: UnsafeMutablePointer<redisContext>?
        private var poll: LoopPoll?
        private var isConnected = false
        private var handler: (Event) -> Void

        private init(_ context: UnsafeMutablePointer<redisContext>, on loop: Loop, handler: @escaping (Event) -> Void) {
            self.context = context
            self.loop = loop
            self.handler = handler
            Resources.increment()
        }

        deinit { Resources.decrement() }

        /// Begins to connect. The caller has to close the returned socket, unless it has ended.
        ///
        /// - Throws: ``RedisFailure`` if connecting can't even begin.
        static func open(
            to address: RedisAddress, on loop: Loop, handler: @escaping (Event) -> Void
        ) throws -> RedisSocket {
            let opened =
                switch address {
                case .numeric(let host, let port): redisConnectNonBlock(host, Int32(port))
                case .socket(let path): redisConnectUnixNonBlock(path)
                }
            guard let opened else { throw RedisFailure.away("no memory is left") }
            let wire = RedisSocket(opened, on: loop, handler: handler)
            do {
                guard opened.pointee.err == 0 else { throw RedisFailure.away(reason(of: opened)) }
                // Keep-alive notices within a minute that a peer has vanished.
                if case .numeric = address { redisEnableKeepAlive(opened) }
                wire.poll = try LoopPoll(on: loop, fd: opened.pointee.fd, events: .writable) { [weak wire] in
                    wire?.ready($0)
                }
                return wire
            } catch {
                wire.close()
                throw error as? RedisFailure ?? .away("\(error)")
            }
        }

        /// Sends a command. Bytes that the socket does not accept now are sent when it is writable.
        func send(_ arguments: [[UInt8]]) {
            guard let context else { return }
            let bytes = arguments.flatMap(\.self)
            let lengths = arguments.map(\.count)
            let result = bytes.withUnsafeBytes { buffer -> Int32 in
                // An empty argument needs an address too.
                var next = buffer.baseAddress ?? UnsafeRawPointer(context)
                var starts = lengths.map { length -> UnsafePointer<CChar>? in
                    defer { next += length }
                    return next.assumingMemoryBound(to: CChar.self)
                }
                return redisAppendCommandArgv(context, Int32(lengths.count), &starts, lengths)
            }
            if isConnected, result == REDIS_OK, flush() { return }
            guard isConnected else { return }
            // The loop reports the failure in a later turn, because the caller is in the middle of its own work.
            let reason = Self.reason(of: context)
            let wire = LoopBound(self, on: loop)
            loop.execute { wire.value.end(.away(reason)) }
        }

        func close() {
            handler = { _ in }
            // The poll closes first: libuv removes the descriptor from the kernel's set by its number, which is free after
            // `redisFree`.
            poll?.close()
            poll = nil
            if let context { redisFree(context) }
            context = nil
        }

        private func end(_ failure: RedisFailure) {
            guard context != nil else { return }
            let handler = handler
            close()
            handler(.ended(failure))
        }

        private func ready(_ events: LoopPoll.Events) {
            guard let context else { return }
            if !isConnected {
                let code = Self.error(of: context.pointee.fd)
                guard code == 0, !events.contains(.failed) else { return end(.away(Self.message(for: code))) }
                isConnected = true
                handler(.connected)
                if self.context != nil, !flush() { end(.away(Self.reason(of: context))) }
                return
            }
            if events.contains(.failed) { return end(.away(Self.message(for: Self.error(of: context.pointee.fd)))) }
            if events.contains(.readable) { read(context) }
            if self.context != nil, events.contains(.writable), !flush() { end(.away(Self.reason(of: context))) }
        }

        private func read(_ opened: UnsafeMutablePointer<redisContext>) {
            guard redisBufferRead(opened) == REDIS_OK else { return end(.away(Self.reason(of: opened))) }
            guard opened.pointee.reader.pointee.len <= Self.longestResponse else { return end(.tooLong) }
            // The handler may close this socket.
            while let context {
                var raw: UnsafeMutableRawPointer?
                guard redisGetReplyFromReader(context, &raw) == REDIS_OK else { return end(.senseless) }
                guard let raw else { return }
                let reply = RedisReply(raw.assumingMemoryBound(to: redisReply.self).pointee)
                freeReplyObject(raw)
                handler(.reply(reply))
            }
        }

        /// Sends the buffered commands as far as the socket accepts them.
        ///
        /// - Returns: whether the connection still works.
        private func flush() -> Bool {
            guard let context, let poll else { return true }
            var isDone: Int32 = 0
            guard redisBufferWrite(context, &isDone) == REDIS_OK else { return false }
            return (try? poll.watch(for: isDone != 0 ? .readable : [.readable, .writable])) != nil
        }
    }

    extension RedisSocket {
        private static func error(of descriptor: Int32) -> Int32 {
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
        }

        private static func message(for code: Int32) -> String {
            code == 0 ? "the connection failed" : String(cString: strerror(code))
        }

        private static func reason(of context: UnsafeMutablePointer<redisContext>) -> String {
            switch context.pointee.err {
            case REDIS_ERR_EOF: "it closed the connection"
            case 0: "the connection failed"
            // libhiredis's own text, for errors of the system only.
            case REDIS_ERR_IO, REDIS_ERR_OTHER:
                withUnsafeBytes(of: context.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            default: "the protocol was broken"
            }
        }
    }
#endif
