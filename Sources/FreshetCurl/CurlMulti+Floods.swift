import CFreshetCurl
import FreshetHTTP

// Servers of HTTP/2 that send without an end what is for no request, and hold libcurl in one act: no timer fires then, and
// nothing else on the loop moves.
extension CurlMulti {
    func noticeFloods() {
        flood.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        flood.pointee.cut = { connection, owner in
            Unmanaged<CurlMulti>.fromOpaque(owner!)._withUnsafeGuaranteedRef { $0.cut(connection!) ? 1 : 0 }
        }
    }

    /// Says to the transfers on a connection why it ends; libcurl ends it when it finds nothing more to read.
    ///
    /// - Returns: whether there are any.
    private func cut(_ connection: UnsafeRawPointer) -> Bool {
        var isAnyones = false
        for easy in active {
            easy._withUnsafeGuaranteedRef { easy in
                guard freshet_easy_openssl(easy.raw) == connection else { return }
                isAnyones = true
                easy.withRunning(or: ()) { $0.isFlooded() }
            }
        }
        return isAnyones
    }
}

extension CurlEasy {
    /// Has the connections watched that it makes and that may speak HTTP/2.
    func watchFloods() {
        freshet_easy_set_pointer(raw, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque())
        freshet_easy_set_on_tls(raw) { _, context, easy in
            Unmanaged<CurlEasy>.fromOpaque(easy!)._withUnsafeGuaranteedRef { $0.secures(with: context!) }
            return CURLE_OK
        }
    }

    private func secures(with context: UnsafeMutableRawPointer) {
        guard shares == true, !isSecuringProxy else { return }
        // It takes the place of what libcurl's debugging listens with.
        beginsToSecure()
        freshet_flood_watch(multi.flood, context)
    }
}

extension CurlTransfer {
    fileprivate func isFlooded() {
        if failure != nil { return }
        noteWhatWasSent()
        failure = fail(.protocol, "the server sends HTTP/2 without an end that answers nothing", .askForHTTP1)
    }
}
