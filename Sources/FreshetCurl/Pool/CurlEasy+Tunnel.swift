import CFreshetCurl
import FreshetCore
import FreshetHTTP

// Connections through a proxy. libcurl does not report where the proxy's part ends and the server's part begins.
extension CurlEasy {
    /// Tells the transfer when TLS with the server begins on the new connection. With a proxy that speaks TLS itself, that
    /// handshake is the second one.
    ///
    /// Only libcurl's debug callback reports it.
    func watchTunnel() {
        setDebugCallback { _, kind, _, _, context in
            if kind == CURLINFO_SSL_DATA_OUT {
                OpaqueReference<CurlEasy>.object(at: context!).handshakeBegan()
            }
            return 0
        }
    }

    func handshakeBegan() {
        guard let transfer, transfer.state.isBeforeTLS, transfer.state.route?.proxy != nil, !isSecuringProxy else {
            return
        }
        if let fd = state.opening.last(where: { freshet_is_connected($0) != 0 }) { transfer.handshakeBegan(on: fd) }
    }

    /// Whether the TLS handshake that begins now is with the proxy. If the proxy speaks TLS itself, the first handshake is.
    var isSecuringProxy: Bool {
        guard transfer?.state.route?.proxy?.scheme == "https" else { return false }
        return freshet_easy_get_long(raw, CURLINFO_HTTP_CONNECTCODE) / 100 != 2
    }

    /// Whether one of the opened sockets is connected to the proxy, or to the server if there is no proxy.
    var isConnectedToPeer: Bool { state.opening.contains { freshet_is_connected($0) != 0 } }
}
