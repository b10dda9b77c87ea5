import Freshet

/// Keeps the stored responses of connections with other credentials or without verification apart from those of others. Neither
/// a client's certificate nor the path of a socket is in a request, and only a verified server says what its origin responds.
struct ConnectionAccount: RequestInterceptor {
    private let account: RequestAccount

    /// - Returns: `nil` for connections that need not be told apart.
    init?(_ options: NetworkOptions) {
        guard options.insecure || options.cert != nil || options.unixSocket != nil else { return nil }
        var parts = options.insecure ? ["insecure"] : []
        if let cert = options.cert {
            // A pipe can be read only once, and then its certificate is not known here.
            guard !OutputFile.isSpecial(cert.path),
                let certificate = try? readAll(from: cert.path, limit: longestOwnFile)
            else {
                account = RequestAccount(loginID: nil)
                return
            }
            parts.append("cert \(Base64URL.encoded(Digest.sha256(certificate)))")
        }
        if let path = options.unixSocket { parts.append("socket \(FileStore.followingLinks(in: path))") }
        account = RequestAccount(loginID: parts.joined(separator: " "))
    }

    func account(of request: Request) -> AccountResolution { .ready(account) }
    func peek(at head: HTTPResponse, of request: Request) -> Peek { .nothing }
}
