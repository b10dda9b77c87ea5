import Foundation
import FreshetCore
import XCTest

/// An nginx on free ports of the loopback, with a certificate of its own authority.
final class Nginx {
    let directory: URL
    let plainPort: UInt16
    let securePort: UInt16
    /// The port that speaks HTTP/2 and HTTP/1.1.
    let http2Port: UInt16
    private let binary: String
    private let configuration: URL

    var plain: String { "http://127.0.0.1:\(plainPort)" }
    var secure: String { "https://localhost:\(securePort)" }
    var http2: String { "https://localhost:\(http2Port)" }
    var caFile: String { directory.appendingPathComponent("ca.pem").path }

    /// - Throws: `XCTSkip` if nginx or openssl is not installed.
    init() throws {
        binary = try Command.find("nginx")
        let openssl = try Command.find("openssl")
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory.appendingPathComponent("root"), withIntermediateDirectories: true)
        (plainPort, securePort, http2Port) = (freePort(), freePort(), freePort())
        configuration = directory.appendingPathComponent("nginx.conf")
        try Self.makeCertificates(with: openssl, in: directory)
        try text.write(to: configuration, atomically: true, encoding: .utf8)
        // The command returns when the ports are open.
        try Command.run(binary, ["-p", directory.path, "-c", configuration.path])
    }

    deinit {
        try? Command.run(binary, ["-p", directory.path, "-c", configuration.path, "-s", "stop"])
        try? FileManager.default.removeItem(at: directory)
    }

    /// Makes a file of zeros that takes no space on the disk.
    func makeFile(_ name: String, size: Int) throws {
        let path = directory.appendingPathComponent("root/\(name)").path
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: nil))
        XCTAssertEqual(truncate(path, off_t(size)), 0)
    }

    private var text: String {
        """
        worker_processes 1;
        pid nginx.pid;
        error_log error.log warn;
        events { worker_connections 4096; }
        http {
            access_log off;
            root \(directory.path)/root;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
            client_max_body_size 64m;
            sendfile on;
            keepalive_requests 100000;
            limit_req_zone $server_addr zone=paced:32k rate=500r/s;
            ssl_certificate server.pem;
            ssl_certificate_key server.key;
            server {
                listen 127.0.0.1:\(plainPort);
                listen 127.0.0.1:\(securePort) ssl;
                listen 127.0.0.1:\(http2Port) ssl http2;
                location /echo/ { default_type text/plain; return 200 "$request_method $request_uri"; }
                location /paced/ { limit_req zone=paced burst=1000; }
                location /files/ { dav_methods PUT; }
                location /protocol { return 200 "$server_protocol"; }
                location /header { return 200 "[$http_x_test][$http_x_empty][$http_host][$content_length][$http_expect][$content_type][$http_accept_encoding]"; }
                location /sender { return 200 "$http_user_agent, $http_authorization, $http_accept, $host"; }
                location /trailed { gzip on; gzip_min_length 1; gzip_types *; gzip_proxied any; add_trailer X-Check ok; default_type text/plain; alias \(directory.path)/root/text; }
                location /status/404 { return 404 "no"; }
                location /gzip { gzip on; gzip_min_length 1; gzip_types *; gzip_proxied any; default_type text/plain; alias \(directory.path)/root/text; }
            }
        }
        """
    }

    private static func makeCertificates(with openssl: String, in directory: URL) throws {
        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        try "subjectAltName=DNS:localhost,IP:127.0.0.1".write(
            toFile: path("names"), atomically: true, encoding: .utf8)
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Command.run(
            openssl,
            ["req", "-x509"] + curve
                + ["-keyout", path("ca.key"), "-out", path("ca.pem"), "-days", "2", "-subj", "/CN=Freshet Test CA"])
        try Command.run(
            openssl,
            ["req", "-new"] + curve + [
                "-keyout", path("server.key"), "-out", path("server.csr"), "-subj", "/CN=localhost",
            ])
        try Command.run(
            openssl,
            [
                "x509", "-req", "-in", path("server.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
                "-CAcreateserial", "-out", path("server.pem"), "-days", "2", "-extfile", path("names"),
            ])
    }
}

/// A port of the loopback on which nobody listens.
/// It is outside the range from which the system takes ports for connections, because a connection could take it before the
/// server does. Each port is returned once, because a server asks for several before it opens them.
func freePort() -> UInt16 {
    while true {
        let port = UInt16.random(in: 10_000..<32_000)
        if isFree(port), givenPorts.withLock({ $0.insert(port).inserted }) { return port }
    }
}

private let givenPorts = Locked<Set<UInt16>>([])

private func isFree(_ port: UInt16) -> Bool {
    let fd = socket(AF_INET, streamSocket, 0)
    defer { close(fd) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
