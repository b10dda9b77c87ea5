#if Redis
    import CFreshetRedis

    /// A reply of a Redis server.
    enum RedisReply: Sendable, Equatable {
        case null
        case integer(Int)
        /// A status or a string.
        case bytes([UInt8])
        case list([RedisReply])
        /// An error, with its code alone. The text after the code is left out: it may repeat a command's arguments, and with
        /// them a token.
        case error(code: String)
    }

    extension RedisReply {
        init(_ reply: redisReply) {
            let bytes = UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : reply.len)
            switch reply.type {
            case REDIS_REPLY_INTEGER: self = .integer(Int(clamping: reply.integer))
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(Array(bytes))
            case REDIS_REPLY_ERROR: self = .error(code: Self.code(of: String(decoding: bytes, as: UTF8.self)))
            case REDIS_REPLY_ARRAY:
                let elements = UnsafeBufferPointer(start: reply.element, count: reply.elements)
                self = .list(elements.map { $0.map { RedisReply($0.pointee) } ?? .null })
            default: self = .null
            }
        }

        /// The first word, which is in capitals. The errors of a server that has no room for another client, and of a script
        /// whose user may not run one of its commands, have no code of their own.
        static func code(of error: String) -> String {
            if error.hasPrefix("ERR max number of clients") { return "MAXCLIENTS" }
            if error.contains("The user executing the script can't") { return "NOPERM" }
            // Before Redis 7 the error of a command in a script is the end of another one:
            // `ERR Error running script (call to f_…): @user_script:6: @user_script: 6: -OOM command not allowed …`.
            if error.hasPrefix("ERR Error running script"), let end = error.ranges(of: ": ").last?.upperBound {
                let inner = error[end...]
                return firstWord(of: inner.first == "-" ? inner.dropFirst() : inner) ?? "ERR"
            }
            return firstWord(of: error[...]) ?? "ERR"
        }

        private static func firstWord(of error: Substring) -> String? {
            let word = error.prefix { $0 != " " }
            return (2...20).contains(word.utf8.count) && word.allSatisfy { $0.isASCII && $0.isUppercase }
                ? String(word) : nil
        }

        var integer: Int? {
            switch self {
            case .integer(let number): number
            case .bytes(let bytes): Int(String(decoding: bytes, as: UTF8.self))
            default: nil
            }
        }

        var bytes: [UInt8]? {
            if case .bytes(let bytes) = self { bytes } else { nil }
        }

        var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

        var list: [RedisReply] {
            if case .list(let elements) = self { elements } else { [] }
        }
    }
#endif
