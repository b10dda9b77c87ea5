import ArgumentParser
import Foundation
import Freshet

/// The options for the route of connections and for trust in servers, with curl's names.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: [.customShort("x"), .long],
        help: ArgumentHelp(
            "The proxy: http, https, socks5h, socks5, socks4a or socks4. Else what http_proxy, https_proxy, all_proxy say.",
            valueName: "url"))
    var proxy: String?

    @Option(
        name: .customLong("noproxy"),
        help: ArgumentHelp("Hosts to go to directly: names, networks or *. Else $NO_PROXY.", valueName: "list"))
    var direct: String?

    @Option(
        help: ArgumentHelp(
            "Go to this address instead of asking for the host's; can be repeated.", valueName: "host:port:address"))
    var resolve: [String] = []

    @Option(
        help: ArgumentHelp("Go to this socket in the file system, whatever the host.", valueName: "path"),
        completion: .file())
    var unixSocket: String?

    @Option(help: ArgumentHelp("The network interface or local address to go from.", valueName: "name"))
    var interface: String?

    @Option(
        name: [.customShort("E"), .long],
        help: ArgumentHelp(
            "The client's certificate, in PEM, with its key or without.",
            discussion: "The passphrase of the key can follow after a colon; a colon of the name is written \\:.",
            valueName: "file[:passphrase]"),
        completion: .file())
    var cert: CertificateArgument?

    @Option(help: ArgumentHelp("The key of --cert, in PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("The passphrase of an encrypted key.", valueName: "text"))
    var pass: String?

    @Option(
        name: .customLong("pinned-key"),
        help: ArgumentHelp(
            "The hash of the key that servers must have: sha256//BASE64; several between semicolons.",
            valueName: "hashes"))
    var pinnedKey: String?

    @Flag(name: [.customShort("k"), .long], help: "Accept any server, whoever it is. For tests alone.")
    var insecure = false

    /// Whether a proxy can be in use.
    var hasProxy: Bool { !proxies.isEmpty }

    /// Whether the address of a proxy that can be in use has a user.
    var proxyNamesUser: Bool { proxies.contains { $0.contains("@") } }

    /// The addresses of the option, or else of the environment.
    private var proxies: [String] {
        let environment = ProcessInfo.processInfo.environment
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return (proxy.map { [$0] } ?? names.compactMap { environment[$0] }).filter { !$0.isEmpty }
    }

    private var pinnedKeys: [String]? { pinnedKey?.split(separator: ";").map(String.init) }

    func validate() throws {
        try NamedFiles.check([("--unix-socket", unixSocket), ("--cert", cert?.path), ("--key", key)])
        _ = try overrides()
        if key != nil, cert == nil { throw ValidationError("--key goes with --cert") }
        if let keys = pinnedKeys, keys.isEmpty || !keys.allSatisfy(CurlTransport.Configuration.TLS.isKeyHash) {
            throw ValidationError(
                "--pinned-key is sha256// and a hash in base64, of 44 characters; several between semicolons")
        }
        let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        if let unixSocket, unixSocket.utf8.count > longest {
            throw ValidationError(
                "the path of --unix-socket has \(unixSocket.utf8.count) bytes; that of a socket has at most \(longest)")
        }
    }

    func apply(to configuration: inout CurlTransport.Configuration) throws {
        let environment = ProcessInfo.processInfo.environment
        let direct = direct ?? environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        switch proxy {
        case let proxy?: configuration.proxy = proxy.isEmpty ? .none : .url(proxy, bypassing: direct)
        case nil:
            configuration.proxy =
                self.direct.map { CurlTransport.Configuration.Proxy.environment(bypassing: $0) } ?? .environment
        }
        configuration.addresses.overrides = try overrides()
        configuration.addresses.unixSocket = unixSocket
        if let interface {
            let isAddress = interface.contains(":") || interface.allSatisfy { $0.isNumber || $0 == "." }
            if isAddress {
                configuration.addresses.localAddress = interface
            } else {
                configuration.addresses.interface = interface
            }
        }
        if let cert {
            configuration.tls.identity = .init(
                certificate: .file(cert.path), key: key.map { .file($0) }, passphrase: pass ?? cert.passphrase)
        }
        if let pinnedKeys { configuration.tls.pinnedKeys = ["*": pinnedKeys] }
        if insecure { configuration.tls.verification = .insecureAcceptAnyServer }
    }

    private func overrides() throws -> [String: [String]] {
        var overrides: [String: [String]] = [:]
        for text in resolve {
            // In curl a plus sign lets the address expire; for one command that is the same.
            let parts = text.trimmingPrefix("+").split(separator: ":", maxSplits: 2)
            let addresses = parts.last?.split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            }
            guard parts.count == 3, let port = Int(parts[1]), (1...65535).contains(port), let addresses,
                !addresses.isEmpty, addresses.allSatisfy(Self.isAddress)
            else {
                throw ValidationError("--resolve is HOST:PORT:ADDRESS, or *:PORT:ADDRESS for every name, not \(text)")
            }
            overrides["\(parts[0]):\(port)"] = addresses
        }
        return overrides
    }

    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }
}
