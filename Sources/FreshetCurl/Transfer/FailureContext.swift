import CFreshetCurl
import FreshetHTTP

/// The circumstances of a failure that libcurl reports. libcurl's result code alone does not tell a lost connection from a
/// response that is not HTTP, or a failure of the proxy from one of the server.
struct FailureContext {
    let phase: HTTPClientError.Phase
    /// Whether libcurl decodes the body.
    let decodes: Bool
    /// libcurl's message, which is only shown, because it differs between versions.
    let detail: String
    let route: Route?
    let isMultiplexed: Bool
    let hasHead: Bool
    let isChunked: Bool
    /// Whether nothing of the request was sent.
    let isUnsent: Bool
    /// Whether the other side has closed or reset the connection.
    let isConnectionEnded: Bool
    /// The last TLS alert of the other side that reports an error, by its number in RFC 8446 section 6.
    let alert: Int?
    /// OpenSSL's result for the server's certificate, such as `X509_V_OK`.
    let verification: Int
    /// The status of the proxy's response to CONNECT; 0 if there was none.
    let tunnelStatus: Int
    /// Whether a SOCKS proxy refuses the client's user, password or way to authenticate.
    let isRefusedBySOCKS: Bool
    /// Whether the client has a certificate of its own.
    let hasIdentity: Bool

    // MARK: Proxies

    /// The meaning of a failure of the proxy; `nil` if it is another failure.
    func proxyMeaning(_ code: CURLcode, _ text: String) -> CurlError.Meaning? {
        guard let proxy = route?.proxy, isUnsent else { return nil }
        switch code {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_COULDNT_CONNECT, CURLE_PROXY,
            CURLE_WEIRD_SERVER_REPLY:
            let (message, recoverySuggestion) = refusal(by: proxy, text)
            return (.connect, message, recoverySuggestion)
        case CURLE_PEER_FAILED_VERIFICATION where proxy.scheme == "https" && phase == .connecting:
            return (
                .tls,
                "the certificate of the proxy \(proxy) or of the server was refused (\(text))", "trust its authority"
            )
        default:
            return nil
        }
    }

    private func refusal(by proxy: ProxyServer, _ text: String) -> (String, HTTPClientError.RecoverySuggestion) {
        if isRefusedBySOCKS || tunnelStatus == 407 {
            let status = isRefusedBySOCKS ? "" : " (407)"
            return proxy.user == nil
                ? ("the proxy \(proxy) wants a user and a password\(status)", "put them into its URL")
                : ("the proxy \(proxy) refused the user and the password\(status)", "check them")
        }
        if tunnelStatus >= 300 {
            return (
                "the proxy \(proxy) responded with \(tunnelStatus) when asked for a tunnel",
                "check that it can and may reach the server"
            )
        }
        let reason = text.hasSuffix(".") ? text.dropLast() : text[...]
        return (
            "no connection was made through the proxy \(proxy) (\(reason))",
            "check that it runs and can reach the server"
        )
    }

    // MARK: TLS

    /// The meaning of a failure of TLS; `nil` if it is another failure.
    func tlsMeaning(_ code: CURLcode, _ text: String) -> CurlError.Meaning? {
        switch code {
        case CURLE_SSL_CACERT_BADFILE:
            (.tls, "the trust roots can't be read (\(text))", .checkTrustRoots)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (
                .tls, "the key of the server's certificate is none of those pinned",
                "find out whose it is before pinning it too"
            )
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            (.tls, "the server's certificate was refused (\(text))", certificateAdvice)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED: uselessIdentity(text)
        // Some versions of libcurl report in this way that they can't read the key.
        case CURLE_BAD_FUNCTION_ARGUMENT where hasIdentity && isUnsent: uselessIdentity(text)
        case CURLE_SSL_CLIENTCERT:
            Self.certificateWanted
        // With TLS 1.3 the server refuses the client's certificate after the handshake.
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR:
            alert.map { refusalMeaning($0, text) } ?? (code == CURLE_SSL_CONNECT_ERROR ? handshakeFailed(text) : nil)
        case CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE, CURLE_USE_SSL_FAILED:
            handshakeFailed(text)
        default: nil
        }
    }

    private func uselessIdentity(_ text: String) -> CurlError.Meaning {
        (
            .tls, "the client's certificate or its key can't be used (\(text))",
            "check that both are there, are PEM and belong together, and check the passphrase"
        )
    }

    private func handshakeFailed(_ text: String) -> CurlError.Meaning {
        (.tls, "the TLS handshake failed (\(text))", "check that the port speaks TLS, and which versions")
    }

    private func refusalMeaning(_ alert: Int, _ text: String) -> CurlError.Meaning {
        if alert == freshet_alert_certificate_required { return Self.certificateWanted }
        return (
            .tls, "the server refused the TLS connection (\(text))",
            "check the client's certificate, and which versions it speaks"
        )
    }

    private static var certificateWanted: CurlError.Meaning {
        (.tls, "the server wants to see a certificate of the client", .setClientIdentity)
    }

    private var certificateAdvice: HTTPClientError.RecoverySuggestion {
        switch verification {
        // libcurl compares the names itself, before it asks for OpenSSL's result.
        case 0, freshet_certificate_unspecified: "ask for the server by a name that its certificate has"
        case freshet_certificate_not_yet_valid: "it is not valid yet: check this machine's clock"
        case freshet_certificate_expired: "it has expired: have it renewed, or check this machine's clock"
        case freshet_certificate_self_signed:
            .trustCertificate
        default: .trustAuthority
        }
    }
}

extension FailureContext {
    init(of transfer: CurlTransfer, _ easy: CurlEasy) {
        phase = transfer.state.phase
        decodes = !transfer.state.isDecodedByCaller
        detail = easy.detail
        route = transfer.state.route
        isMultiplexed = transfer.state.connection.isMultiplexed
        hasHead = transfer.state.response.hasHead
        isChunked = transfer.state.response.isChunked
        isUnsent = transfer.state.sendAttempts.count == 0
        alert = transfer.state.connection.alert
        verification = freshet_easy_get_long(easy.raw, CURLINFO_SSL_VERIFYRESULT)
        tunnelStatus = freshet_easy_get_long(easy.raw, CURLINFO_HTTP_CONNECTCODE)
        isRefusedBySOCKS = [CURLPX_USER_REJECTED, CURLPX_NO_AUTH].contains {
            Int($0.rawValue) == freshet_easy_get_long(easy.raw, CURLINFO_PROXY_ERROR)
        }
        hasIdentity = easy.multi.tls.hasIdentity
        let errorNumber = freshet_easy_get_long(easy.raw, CURLINFO_OS_ERRNO)
        // An error number from before the request belongs to an address that could not be reached. OpenSSL reports an end
        // without an error number.
        isConnectionEnded =
            errorNumber == Int(ECONNRESET) || transfer.state.connection.tls == .ended
            || (errorNumber != 0 && errorNumber != transfer.state.connection.errorNumber)
            || (transfer.state.isSecure && transfer.state.connectionIdentity.map(easy.multi.hasEnded) == true)
    }
}
