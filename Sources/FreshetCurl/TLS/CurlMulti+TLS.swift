import CFreshetCurl
import FreshetCore

// Observes a multi's TLS connections through OpenSSL: alerts, and floods of HTTP/2 frames that belong to no request.
extension CurlMulti {
    func observeTLS() {
        tlsObserver.initialize(
            to: freshet_tls_observer(
                sent_records: 0, owner: OpaqueReference.borrow(self),
                alerted: { owner, connection, alert in
                    OpaqueReference<CurlMulti>.object(at: owner!)
                        .withTransfers(on: connection!) { $0.apply(.alerted(Int(alert))) }
                },
                flooded: { owner, connection, bytes in
                    // With 1, OpenSSL reports the end of reading to libcurl, which then ends the connection.
                    OpaqueReference<CurlMulti>.object(at: owner!).floods(connection!, with: bytes) ? 1 : 0
                }))
    }

    /// The number of TLS records that were sent.
    var sentTLSRecords: UInt { tlsObserver.pointee.sent_records }

    /// Fails the transfers of a connection, unless the bytes can be those of paused bodies.
    ///
    /// libcurl keeps what arrives for a paused body while it reads for the other requests of the connection. It allows the server
    /// 32 MB for each; half as much again is for the frames around them.
    private func floods(_ connection: UnsafeRawPointer, with bytes: UInt64) -> Bool {
        var pausedCount: UInt64 = 0
        withTransfers(on: connection) { if $0.isPausedByReceiver { pausedCount += 1 } }
        return bytes >= pausedCount * (48 << 20) && withTransfers(on: connection) { $0.floodDetected() }
    }

    /// Calls `body` with each transfer on a connection.
    ///
    /// - Returns: whether a transfer uses the connection.
    @discardableResult
    private func withTransfers(on connection: UnsafeRawPointer, _ body: (CurlTransfer) -> Void) -> Bool {
        var isUsed = false
        for easy in state.handles.active {
            guard freshet_easy_openssl(easy.raw) == connection else { continue }
            isUsed = true
            easy.transfer.map(body)
        }
        return isUsed
    }
}

extension CurlEasy {
    /// The protocol that TLS has negotiated on the connection of a running transfer; empty if there is none.
    var applicationProtocol: String {
        var length: UInt32 = 0
        let name = freshet_easy_alpn(raw, &length)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// Observes the TLS connections that libcurl makes for this handle, except those to a proxy.
    func observeTLS() {
        freshet_easy_set_pointer(raw, CURLOPT_SSL_CTX_DATA, OpaqueReference.borrow(self))
        freshet_easy_set_on_tls(raw) { _, context, easy in
            OpaqueReference<CurlEasy>.object(at: easy!).observeHandshake(of: context!)
            return CURLE_OK
        }
    }

    private func observeHandshake(of context: UnsafeMutableRawPointer) {
        if isSecuringProxy { return }
        // The observer replaces libcurl's debug callback, which would report that TLS begins.
        handshakeBegan()
        freshet_tls_observe(multi.tlsObserver, context)
    }
}
