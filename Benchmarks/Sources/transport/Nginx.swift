import Foundation
import Harness

/// An nginx of one's own, of one process, with files to ask for.
final class Nginx {
    let plain: String
    let secure: String
    let certificate = Directory.shared.path("certificate.pem")
    private let process: Process

    /// - Parameter bigFile: how many bytes the file for the download has; it takes no room on the disk.
    init(bigFile: Int, onProcessor processor: Int?) throws {
        let directory = Directory.shared
        let files = FileManager.default
        try files.createDirectory(atPath: directory.path("files"), withIntermediateDirectories: true)
        for size in [200, 16 * 1024, 1024 * 1024] {
            _ = files.createFile(
                atPath: directory.path("files/\(size)"), contents: Data(repeating: UInt8(ascii: "a"), count: size))
        }
        _ = files.createFile(atPath: directory.path("files/big"), contents: nil)
        truncate(directory.path("files/big"), bigFile)
        try Child.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            directory.path("key.pem"), "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        let ports = (Port.free(), Port.free())
        plain = "http://127.0.0.1:\(ports.0)"
        secure = "https://127.0.0.1:\(ports.1)"
        try Self.configuration(ports).write(toFile: directory.path("nginx.conf"), atomically: true, encoding: .utf8)
        let pinned = processor.map { ["taskset", "-c", "\($0)"] } ?? []
        process = try Child.start(
            pinned + ["nginx", "-p", directory.path(""), "-c", directory.path("nginx.conf")], output: Pipe())
        for _ in 0..<100 where !Port.isOpen(ports.0) { usleep(20_000) }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    private static func configuration(_ ports: (UInt16, UInt16)) -> String {
        let directory = Directory.shared
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(directory.path("temporary-\($0)"));"
        }.joined(separator: "\n  ")
        return """
            daemon off;
            master_process off;
            worker_rlimit_nofile 20000;
            pid \(directory.path("nginx.pid"));
            error_log stderr error;
            events { worker_connections 16384; }
            http {
              access_log off;
              sendfile on;
              keepalive_requests 1000000000;
              keepalive_timeout 1h;
              open_file_cache max=100;
              default_type application/octet-stream;
              \(temporary)
              server {
                listen 127.0.0.1:\(ports.0) backlog=4096;
                listen 127.0.0.1:\(ports.1) ssl http2 backlog=4096;
                ssl_certificate \(directory.path("certificate.pem"));
                ssl_certificate_key \(directory.path("key.pem"));
                root \(directory.path("files"));
                location /uncached/ { alias \(directory.path("files"))/; add_header Cache-Control no-store; }
                location /cached/ { alias \(directory.path("files"))/; add_header Cache-Control max-age=3600; }
              }
            }
            """
    }
}
