import CFreshetCurl
import FreshetHTTP

/// What is known of a transfer when libcurl says that it failed.
struct Circumstances {
    /// How far it had come.
    let phase: HTTPClientError.Phase
    let decodes: Bool
    /// libcurl's own words; shown where they are about names, addresses and certificates, for other ones may quote the
    /// answer.
    let detail: String
    let route: Route?
    /// What OpenSSL thinks of the server's certificate; 0 is good.
    let verification: Int
    /// The status with which a proxy answered CONNECT; 0 if none did.
    let tunnelStatus: Int
    let isUnsent: Bool

    // MARK: Proxies

    /// What the failure means if it is the proxy's.
    func proxyMeaning(_ code: CURLcode, _ said: String) -> CurlError.Meaning? {
        guard let proxy = route?.proxy, isUnsent else { return nil }
        switch code {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_COULDNT_CONNECT, CURLE_PROXY,
            CURLE_WEIRD_SERVER_REPLY:
            let (message, remedy) = refusal(by: proxy, said)
            return (.connect, message, remedy)
        case CURLE_PEER_FAILED_VERIFICATION where proxy.scheme == "https" && phase == .connecting:
            return (
                .tls,
                "the certificate of the proxy \(proxy) or of the server was refused (\(said))", "trust its authority"
            )
        default:
            return nil
        }
    }

    private func refusal(by proxy: ProxyServer, _ said: String) -> (String, HTTPClientError.Remedy) {
        switch tunnelStatus {
        case 407:
            proxy.user == nil
                ? ("the proxy \(proxy) wants a user and a password (407)", "put them into its URL")
                : ("the proxy \(proxy) refused the user and the password (407)", "check them")
        case 300...:
            (
                "the proxy \(proxy) answered \(tunnelStatus) when asked for a tunnel",
                "check that it can and may reach the server"
            )
        default:
            (
                "no connection was made through the proxy \(proxy) (\(said))",
                "check that it runs and can reach the server"
            )
        }
    }

    // MARK: TLS

    /// What the failure means if it is one of TLS.
    func tlsMeaning(_ code: CURLcode, _ said: String) -> CurlError.Meaning? {
        switch code {
        case CURLE_SSL_CACERT_BADFILE:
            (.tls, "the trust roots can't be read (\(said))", .checkTrustRoots)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (
                .tls, "the key of the server's certificate is none of those pinned",
                "find out whose it is before pinning it too"
            )
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            (.tls, "the server's certificate was refused (\(said))", advice)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
            (
                .tls, "the client's certificate or its key can't be used",
                "check that both are PEM, belong together, and the passphrase"
            )
        case CURLE_SSL_CLIENTCERT: Self.certificateWanted
        case CURLE_RECV_ERROR where said.contains("alert certificate required"): Self.certificateWanted
        case CURLE_RECV_ERROR where said.contains(" alert "), CURLE_SSL_CONNECT_ERROR where said.contains(" alert "):
            (
                .tls, "the server refused the TLS connection (\(said))",
                "check the client's certificate, and which versions it speaks"
            )
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE, CURLE_USE_SSL_FAILED:
            (.tls, "the TLS handshake failed (\(said))", "check that the port speaks TLS, and which versions")
        default: nil
        }
    }

    private static var certificateWanted: CurlError.Meaning {
        (.tls, "the server wants to see a certificate of the client", .giveIdentity)
    }

    /// What to do about a certificate, by OpenSSL's numbers.
    private var advice: HTTPClientError.Remedy {
        if detail.contains("target host") { return "ask for the server by a name that its certificate has" }
        return switch verification {
        case 9: "it is not valid yet: check this machine's clock"
        case 10: "it has expired: have it renewed, or check this machine's clock"
        case 18: "it is signed by itself: if it is the right one, trust it as an authority of its own"
        default: "trust the certificate of its authority, if that is the right one"
        }
    }
}

extension Circumstances {
    init(of transfer: CurlTransfer, _ easy: CurlEasy) {
        phase = transfer.phase
        decodes = transfer.decodes
        detail = easy.detail
        route = transfer.place?.route
        verification = freshet_easy_get_long(easy.raw, CURLINFO_SSL_VERIFYRESULT)
        tunnelStatus = freshet_easy_get_long(easy.raw, CURLINFO_HTTP_CONNECTCODE)
        isUnsent = transfer.sendings == 0
    }
}
