import CFreshetCurl

/// The TLS settings of a pool, in the form that its easy handles take.
final class TLSMaterial {
    private typealias PEM = CurlTransport.Configuration.PEM

    private let settings: CurlTransport.Configuration.TLS
    private let authorities: Blob?
    private let certificate: Blob?
    private let key: Blob?

    init(_ settings: CurlTransport.Configuration.TLS) {
        self.settings = settings
        authorities = Blob(settings.caCertificates)
        certificate = Blob(settings.identity?.certificate)
        key = Blob(settings.identity.map { $0.key ?? $0.certificate })
    }

    var hasIdentity: Bool { settings.identity != nil }

    /// Sets the TLS options of a handle, which are the same for all handles of the pool.
    func set(on easy: CurlEasy) {
        let raw = easy.raw
        // libcurl reads all certificates of a directory for each connection, which takes 30 ms.
        freshet_easy_set_string(raw, CURLOPT_CAPATH, nil)
        if let caFile { easy.require("the trust roots", freshet_easy_set_string(raw, CURLOPT_CAINFO, caFile)) }
        if let authorities { easy.require("the trust roots", authorities.set(CURLOPT_CAINFO_BLOB, on: raw)) }
        easy.require("the version of TLS", freshet_easy_set_long(raw, CURLOPT_SSLVERSION, version))
        if settings.verification == .insecureAcceptAnyServer {
            freshet_easy_set_long(raw, CURLOPT_SSL_VERIFYPEER, 0)
            freshet_easy_set_long(raw, CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let identity = settings.identity { set(identity, on: easy) }
    }

    /// Sets the same options for the TLS connection to a proxy. The client presents no certificate to a proxy.
    func setForProxy(on easy: CurlEasy) {
        let raw = easy.raw
        freshet_easy_set_string(raw, CURLOPT_PROXY_CAPATH, nil)
        if let caFile { easy.require("the trust roots", freshet_easy_set_string(raw, CURLOPT_PROXY_CAINFO, caFile)) }
        if let authorities { easy.require("the trust roots", authorities.set(CURLOPT_PROXY_CAINFO_BLOB, on: raw)) }
        easy.require("the version of TLS", freshet_easy_set_long(raw, CURLOPT_PROXY_SSLVERSION, version))
    }

    private var caFile: String? {
        if case .file(let path) = settings.caCertificates { return path }
        return settings.caFile
    }

    private var version: Int {
        switch settings.minimumVersion {
        case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
        case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }

    private func set(_ identity: CurlTransport.Configuration.Identity, on easy: CurlEasy) {
        let raw = easy.raw
        if let certificate { easy.require("the client's certificate", certificate.set(CURLOPT_SSLCERT_BLOB, on: raw)) }
        if case .file(let path) = identity.certificate {
            easy.require("the client's certificate", freshet_easy_set_string(raw, CURLOPT_SSLCERT, path))
        }
        if let key { easy.require("the client's key", key.set(CURLOPT_SSLKEY_BLOB, on: raw)) }
        if case .file(let path) = identity.key ?? identity.certificate {
            easy.require("the client's key", freshet_easy_set_string(raw, CURLOPT_SSLKEY, path))
        }
        // Without a passphrase OpenSSL would ask the terminal for one, and block the loop.
        let passphrase = identity.passphrase ?? ""
        easy.require("the passphrase of the client's key", freshet_easy_set_string(raw, CURLOPT_KEYPASSWD, passphrase))
    }

    /// Bytes at a fixed address.
    private final class Blob {
        private let bytes: UnsafeMutableBufferPointer<UInt8>

        init?(_ pem: PEM?) {
            guard case .bytes(let content) = pem else { return nil }
            bytes = .allocate(capacity: content.count)
            _ = bytes.initialize(from: content)
        }

        deinit { bytes.deallocate() }

        func set(_ option: CURLoption, on raw: UnsafeMutableRawPointer) -> CURLcode {
            freshet_easy_set_blob(raw, option, bytes.baseAddress, bytes.count)
        }
    }
}
