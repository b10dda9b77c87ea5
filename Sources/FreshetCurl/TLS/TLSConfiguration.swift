import FreshetHTTP

extension CurlTransport.Configuration {
    /// Whom the transport trusts, and as whom it shows itself.
    ///
    /// What is set here holds for all connections of the transport. Clients with different identities have different
    /// transports, and so never share a connection.
    public struct TLS: Sendable, Hashable {
        public enum Version: Sendable, Hashable {
            case tls12, tls13
        }

        public enum Verification: Sendable, Hashable {
            /// The certificate must come from an authority that is trusted, be valid today, and be the host's.
            case full
            /// Anybody can be the server and read and change everything, passwords and tokens included.
            case insecureAcceptAnyServer
        }

        /// A file of certificates in PEM form to trust instead of the system's. By default what `SSL_CERT_FILE` names,
        /// if it is set. A directory of certificates is not looked into. The file is read once a day.
        public var caFile: String? = CurlTransport.environment("SSL_CERT_FILE")
        /// The certificates to trust instead of those of a file. They are read anew for each connection: for more than a
        /// few a file is faster.
        public var caCertificates: PEM?
        /// What to show servers that ask who the client is.
        public var identity: Identity?
        /// The keys of which a server must have one, by host name: each `sha256//` and the hash of the public key in
        /// base64, as curl's `--pinnedpubkey` takes it. A host that is not named here may have any; `*` names all others.
        public var pinnedKeys: [String: [String]] = [:]
        /// The oldest version of the protocol that is spoken.
        public var minimumVersion = Version.tls12
        public var verification = Verification.full

        public init() {}

        func pins(for origin: Origin) -> String? {
            if pinnedKeys.isEmpty || origin.scheme != "https" { return nil }
            let keys = pinnedKeys.first { HostName.normalized($0.key) == origin.host }?.value ?? pinnedKeys["*"]
            return keys?.joined(separator: ";")
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

    /// A certificate of the client, and the key that proves it.
    public struct Identity: Sendable, Hashable {
        /// The certificate, and behind it those that lead to an authority.
        public var certificate: PEM
        /// The private key; `nil` if it stands beside the certificate.
        public var key: PEM?
        /// For a key that is encrypted.
        public var passphrase: String?

        public init(certificate: PEM, key: PEM? = nil, passphrase: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }
}

extension CurlTransport.Configuration.PEM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, or the length: the text may be a key.
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
