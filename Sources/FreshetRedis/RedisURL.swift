#if Redis
    import FreshetAuth

    /// A Redis server and a key in one URL: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]?key=NAME`, or for a Unix socket
    /// `redis+unix://[[USER]:PASSWORD@]/PATH?key=NAME[&db=DB]`.
    ///
    /// The port is 6379 and the database 0 if they are left out; `%XX` stands for a byte.
    struct RedisURL {
        var server: RedisServer
        var key: String

        /// - Throws: `StoreError`, whose message repeats nothing of `text`, because that may contain a password.
        init(_ text: String) throws {
            let scheme = text.prefix { $0 != ":" }.lowercased()
            if scheme == "rediss" {
                throw StoreError(
                    "rediss: is not supported, as libhiredis 0.14 speaks no TLS; use redis: to a tunnel on this machine, such as stunnel"
                )
            }
            guard ["redis", "redis+unix"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else {
                throw Self.invalidURL("it does not begin with redis://")
            }
            var rest = text.dropFirst(scheme.count + 3)
            let query = Self.cut(&rest, from: "?") ?? ""
            let (user, password) = try Self.credentials(in: &rest)
            let values = try Self.values(in: query)
            guard let key = values["key"], !key.isEmpty else { throw Self.invalidURL("it names no key; add ?key=NAME") }
            self.key = key
            if scheme == "redis+unix" {
                let path = try Self.decoded(rest)
                guard path.hasPrefix("/"), path.utf8.count < 108 else {
                    throw Self.invalidURL("the path of its socket is not absolute, or is too long")
                }
                server = RedisServer(.socket(path: path), database: try Self.database(values["db"] ?? ""))
            } else {
                let path = Self.cut(&rest, from: "/") ?? ""
                let database = try Self.database(path.isEmpty ? values["db"] ?? "" : String(path))
                server = RedisServer(try Self.endpoint(rest), database: database)
            }
            server.user = user
            server.password = password
        }

        /// Removes `mark` and the text after it, and returns that text; `nil` if there is no `mark`.
        private static func cut(_ text: inout Substring, from mark: Character) -> Substring? {
            guard let index = text.firstIndex(of: mark) else { return nil }
            defer { text = text[..<index] }
            return text[text.index(after: index)...]
        }

        private static func credentials(in text: inout Substring) throws -> (user: String?, password: String?) {
            guard let at = text.lastIndex(of: "@") else { return (nil, nil) }
            var user = text[..<at]
            text = text[text.index(after: at)...]
            guard let password = cut(&user, from: ":") else {
                throw invalidURL("its password is missing; write :PASSWORD@")
            }
            return (user.isEmpty ? nil : try decoded(user), password.isEmpty ? nil : try decoded(password))
        }

        private static func endpoint(_ text: Substring) throws -> RedisServer.Endpoint {
            var rest = text
            var host = text
            if text.first == "[" {
                guard let end = text.firstIndex(of: "]") else { throw invalidURL("its address has no ]") }
                host = text[text.index(after: text.startIndex)..<end]
                rest = text[text.index(after: end)...]
            } else {
                host = text.prefix { $0 != ":" }
                rest = text[host.endIndex...]
            }
            guard rest.isEmpty || rest.first == ":", let port = rest.isEmpty ? 6379 : Int(rest.dropFirst()),
                (1...65535).contains(port)
            else { throw invalidURL("its port is no number from 1 to 65535") }
            guard !host.isEmpty else { throw invalidURL("it names no host") }
            return .host(try decoded(host), port: port)
        }

        private static func database(_ text: String) throws -> Int {
            guard let number = text.isEmpty ? 0 : Int(text), number >= 0 else {
                throw invalidURL("its database is no number")
            }
            return number
        }

        private static func values(in query: Substring) throws -> [String: String] {
            var values: [String: String] = [:]
            for pair in query.split(separator: "&") {
                var name = pair
                let value = cut(&name, from: "=") ?? ""
                guard ["key", "db"].contains(name), values[String(name)] == nil else {
                    throw invalidURL("after the ? there may be one key= and one db=, and nothing else")
                }
                values[String(name)] = try decoded(value)
            }
            return values
        }

        private static func decoded(_ text: Substring) throws -> String {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
                guard digits.count == 2 else {
                    throw invalidURL("a % in it is not followed by two digits; write %25 for a %")
                }
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            }
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw invalidURL("it contains bytes that are not UTF-8 text")
            }
            return text
        }

        private static func invalidURL(_ problem: String) -> StoreError {
            StoreError("the URL of the Redis store can't be used: \(problem); write redis://HOST:PORT/DB?key=NAME")
        }
    }
#endif
