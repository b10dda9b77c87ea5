import FreshetHTTP

extension CurlTransport.Configuration {
    /// The servers that the transport trusts, and the identity that it presents.
    ///
    /// The settings apply to all connections of the transport. Clients with different identities need different transports,
    /// and so never share a connection.
    public struct TLS: Sendable, Hashable {
        public enum Version: Sendable, Hashable {
            case tls12, tls13
        }

        public enum Verification: Sendable, Hashable {
            /// The certificate must come from a trusted authority, be valid today, and belong to the host.
            case full
            /// Every certificate is accepted. Anybody can be the server, and can read and change everything, including
            /// passwords and tokens.
            case insecureAcceptAnyServer
        }

        /// A file of certificates in PEM form that are trusted instead of the system's. The default is the file that
        /// `SSL_CERT_FILE` names, if it is set. A directory of certificates is not supported. The file is read once per
        /// day.
        public var caFile: String? = CurlTransport.environment("SSL_CERT_FILE")
        /// The certificates that are trusted instead of those of a file. They are read again for each connection, so a file
        /// is faster for more than a few certificates.
        public var caCertificates: PEM?
        /// The certificate that the client presents to servers that ask for one.
        public var identity: Identity?
        /// The keys that servers may have, by host name. Each is `sha256//` followed by the hash of the public key in
        /// base64, as in curl's `--pinnedpubkey`. A server must have one of its host's keys. A host without an entry may
        /// have any key. The entry `*` applies to all hosts without an entry of their own. An entry applies to all spellings of
        /// its host, such as `127.1` for `127.0.0.1`, or a name with a dot behind it. If an entry names no host, or has
        /// no such key, every request over TLS fails with `invalidRequest`.
        public var pinnedKeys: [String: [String]] = [:]
        /// The oldest version of TLS that is accepted.
        public var minimumVersion = Version.tls12
        public var verification = Verification.full

        public init() {}

        func pins(for origin: Origin) -> String? {
            if pinnedKeys.isEmpty || origin.scheme != "https" { return nil }
            let host = HostName.certified(origin.host)
            let entries = pinnedKeys.filter { HostName.certified($0.key) == host }
            let keys = entries.isEmpty ? pinnedKeys["*"] : entries.values.flatMap { $0 }.sorted()
            return keys?.joined(separator: ";")
        }

        /// What is wrong with ``pinnedKeys``, because an entry that matches nothing would pin nothing; `nil` if all are right.
        var pinProblem: (message: String, recoverySuggestion: HTTPClientError.RecoverySuggestion)? {
            for (host, keys) in pinnedKeys.sorted(by: { $0.key < $1.key }) {
                guard host == "*" || Self.isHost(host) else {
                    return ("\(host) in the pinned keys is no host name", "write it without scheme, port and path")
                }
                guard !keys.isEmpty, keys.allSatisfy(Self.isKeyHash) else {
                    return (
                        "a key pinned for \(host) is no hash of a public key",
                        "write sha256// and the hash in base64, of 44 characters"
                    )
                }
            }
            return nil
        }

        private static func isHost(_ text: String) -> Bool {
            guard !text.utf8.contains(UInt8(ascii: "*")), let url = try? RequestURL("https://\(text)") else {
                return false
            }
            return url.host == HostName.normalized(text)
        }

        /// Whether `text` is `sha256//` and the base64 of 32 bytes, as a key of ``pinnedKeys`` is.
        public static func isKeyHash(_ text: String) -> Bool {
            let hash = text.dropFirst("sha256//".count)
            return text.hasPrefix("sha256//") && hash.utf8.count == 44 && hash.last == "="
                && hash.dropLast().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/".contains($0)) }
        }
    }

    /// Certificates or a key in PEM form.
    public enum PEM: Sendable, Hashable {
        /// The path of a file.
        case file(String)
        /// The text itself.
        case bytes([UInt8])

        public static func text(_ text: String) -> PEM { .bytes(Array(text.utf8)) }
    }

    /// A certificate of the client and its private key.
    public struct Identity: Sendable, Hashable {
        /// The certificate, followed by those that lead to an authority.
        public var certificate: PEM
        /// The private key; `nil` if it is in the same PEM as the certificate.
        public var key: PEM?
        /// The passphrase of a key that is encrypted.
        public var passphrase: String?

        public init(certificate: PEM, key: PEM? = nil, passphrase: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }
}

extension CurlTransport.Configuration.PEM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, or the number of bytes. The text itself is left out, because it can be a key.
    public var description: String {
        switch self {
        case .file(let path): path
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["pem": description]) }
}

extension CurlTransport.Configuration.Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    public var description: String { "identity of \(certificate)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate.description]) }
}
