import Foundation
import XCTest

/// An nginx with servers that differ in their certificates, and in what they require of clients.
final class TLSServers {
    let certificates: Certificates
    private let ports: [String: UInt16]
    private let binary: String

    private static let names = ["good", "other", "expired", "selfSigned", "mutual", "old"]

    /// - Throws: `XCTSkip` if nginx or openssl is not installed.
    init() throws {
        binary = try Command.find("nginx")
        certificates = try Certificates()
        ports = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, freePort()) })
        try certificates.makeSelfSigned("ca", subject: "Freshet Test CA")
        try certificates.makeSelfSigned("stranger", subject: "Another CA")
        try certificates.make("good", names: "DNS:localhost,IP:127.0.0.1", by: "ca")
        try certificates.make("other", names: "DNS:other.test", by: "ca")
        try certificates.make("expired", names: "DNS:localhost", by: "ca", ended: true)
        try certificates.makeSelfSigned("selfSigned", subject: "localhost", names: "DNS:localhost")
        try certificates.make("client", names: "DNS:client.test", by: "ca")
        try certificates.encryptKey("client", as: "locked", passphrase: "open sesame")
        try text.write(toFile: certificates.path("nginx.conf"), atomically: true, encoding: .utf8)
        try Command.run(binary, arguments)
    }

    deinit { try? Command.run(binary, arguments + ["-s", "stop"]) }

    func url(_ name: String) -> String { "https://localhost:\(ports[name]!)/" }

    private var arguments: [String] { ["-p", certificates.directory.path, "-c", certificates.path("nginx.conf")] }

    private func server(_ name: String, certificate: String? = nil, _ more: String = "") -> String {
        """
        server {
            listen 127.0.0.1:\(ports[name]!) ssl;
            ssl_certificate \(certificates.path("\(certificate ?? name).pem"));
            ssl_certificate_key \(certificates.path("\(certificate ?? name).key"));
            location / { return 200 "\(name) $ssl_protocol $ssl_client_s_dn"; }
            \(more)
        }
        """
    }

    private var text: String {
        let authority = certificates.path("ca.pem")
        return """
            worker_processes 1;
            pid nginx.pid;
            error_log error.log warn;
            events { worker_connections 256; }
            http {
                access_log off;
                ssl_protocols TLSv1.2 TLSv1.3;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                \(server("good"))
                \(server("other"))
                \(server("expired"))
                \(server("selfSigned"))
                \(server("mutual", certificate: "good", "ssl_client_certificate \(authority); ssl_verify_client on;"))
                \(server("old", certificate: "good", "ssl_protocols TLSv1.2;"))
            }
            """
    }
}
