import CFreshetCurl
import FreshetCore

// What OpenSSL tells of the connections of a multi: alerts, and floods of HTTP/2 frames that are for no request.
extension CurlMulti {
    func observeTLS() {
        tlsObserver.initialize(
            to: freshet_tls_observer(
                current: nil, owner: OpaqueReference.borrow(self),
                alerted: { owner, connection, alert in
                    OpaqueReference<CurlMulti>.object(at: owner!)
                        .withTransfers(on: connection!) { $0.apply(.alerted(Int(alert))) }
                },
                flooded: { owner, connection in
                    // libcurl ends the connection when it finds nothing more to read.
                    OpaqueReference<CurlMulti>.object(at: owner!)
                        .withTransfers(on: connection!) { $0.isFlooded() } ? 1 : 0
                }))
    }

    /// - Returns: whether there are any.
    @discardableResult
    private func withTransfers(on connection: UnsafeRawPointer, _ body: (CurlTransfer) -> Void) -> Bool {
        var isUsed = false
        for easy in state.handles.active {
            guard freshet_easy_openssl(easy.raw) == connection else { continue }
            isUsed = true
            easy.withRunning(or: (), body)
        }
        return isUsed
    }
}

extension CurlEasy {
    /// Has the connections observed that it makes, but for those to a proxy.
    func observeTLS() {
        freshet_easy_set_pointer(raw, CURLOPT_SSL_CTX_DATA, OpaqueReference.borrow(self))
        freshet_easy_set_on_tls(raw) { _, context, easy in
            OpaqueReference<CurlEasy>.object(at: easy!).secures(with: context!)
            return CURLE_OK
        }
    }

    private func secures(with context: UnsafeMutableRawPointer) {
        if isSecuringProxy { return }
        // It takes the place of what libcurl's debugging listens with.
        beginsToSecure()
        freshet_tls_observe(multi.tlsObserver, context)
    }
}
