import Freshet

/// The examples of the page of this name.
enum Connections {
    static func limited() throws -> FreshetRuntime {
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumConnectionsPerOrigin = 16
        configuration.transport.pool.idleTimeout = .seconds(30)
        configuration.transport.pool.acquireTimeout = .seconds(5)
        configuration.client.transfer.connectTimeout = .seconds(3)
        configuration.client.transfer.firstByteTimeout = .seconds(20)
        let runtime = try FreshetRuntime(configuration: configuration)
        return runtime
    }

    static func addressed(_ configuration: inout FreshetRuntime.Configuration) throws {
        configuration.transport.addresses.overrides["api.example.com:443"] = ["192.0.2.7", "2001:db8::7"]
        configuration.transport.addresses.unixSockets[try Origin("http://docker")] = "/var/run/docker.sock"
        configuration.transport.addresses.resolver = FixedResolver()
        configuration.transport.addresses.localAddress = "192.0.2.20"
    }

    struct FixedResolver: Resolver {
        func addresses(of host: String) -> Single<[String]> {
            host.hasSuffix(".internal") ? .just(["10.0.0.5"]) : SystemResolver().addresses(of: host)
        }
    }

    static func secured(
        _ configuration: inout FreshetRuntime.Configuration, passphrase: String, current: String, next: String
    ) {
        configuration.transport.tls.caFile = "/etc/myapp/ca.pem"
        configuration.transport.tls.identity = .init(
            certificate: .file("/etc/myapp/client.pem"), key: .file("/etc/myapp/client.key"), passphrase: passphrase)
        configuration.transport.tls.pinnedKeys["api.example.com"] = ["sha256//\(current)", "sha256//\(next)"]
        configuration.transport.tls.minimumVersion = .tls13
    }

    static func proxied(_ configuration: inout FreshetRuntime.Configuration, secret: String) {
        configuration.transport.proxy = .url(
            "socks5h://user:\(secret)@proxy.example.com:1080", bypassing: "localhost,10.0.0.0/8")
    }
}
