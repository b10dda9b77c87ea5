import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests a graceful restart of Apache, which ends each connection after the responses to its requests. Over HTTP/2 it sends
/// GOAWAY for that.
final class ApacheTests: ServerTestCase {
    private func start() throws -> ServerProcess {
        try ServerProcess("apache2") { site in
            let modules = ["mpm_event", "authz_core", "dir", "mime", "ssl", "http2"].map {
                "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
            }
            try site.write("ok", to: "index.html")
            let configuration = try site.write(
                """
                \(modules.joined(separator: "\n"))
                ServerRoot \(site.directory)
                ServerName localhost
                PidFile apache.pid
                ErrorLog error.log
                DefaultRuntimeDir \(site.directory)
                Mutex pthread
                TypesConfig /dev/null
                DocumentRoot \(site.directory)
                DirectoryIndex index.html
                <Directory \(site.directory)>
                    Require all granted
                </Directory>
                Listen 127.0.0.1:\(site.plainPort)
                Listen 127.0.0.1:\(site.securePort)
                KeepAlive On
                MaxKeepAliveRequests 0
                StartServers 1
                <VirtualHost *:\(site.securePort)>
                    Protocols h2 http/1.1
                    SSLEngine on
                    SSLCertificateFile \(site.certificate)
                    SSLCertificateKeyFile \(site.key)
                </VirtualHost>
                """, to: "apache.conf")
            return ["-f", configuration, "-D", "FOREGROUND"]
        }
    }

    private static let restarts = 3

    /// Sends GETs and restarts the server meanwhile, three times. Each time it waits until the server's log reports the
    /// restart.
    ///
    /// - Parameter lost: how many GETs each restart may lose, however many are sent between two restarts.
    private func assertNoneIsLostInRestarts(
        of server: ServerProcess, _ url: String, through transport: CurlTransport,
        version: TransferOptions.Version = .automatic, lost: Int
    ) {
        XCTAssertEqual(self.losses(of: 1, .get, url, through: transport, version: version), [])
        let restarted = Locked<Bool?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let isWell = (0...Self.restarts).allSatisfy { number in
                if number > 0 { server.signal(SIGUSR1) }
                return server.waitUntilOutputContains("resuming normal operations", times: number + 1)
            }
            restarted.withLock { $0 = isWell }
            hasEnded.signal()
        }
        var (losses, count) = ([String](), 0)
        // The processes from before the last restart end while the last of these requests are sent.
        var isLast = false
        while !isLast {
            isLast = restarted.withLock { $0 } != nil
            losses += self.losses(of: 2000, .get, url, through: transport, version: version)
            count += 2000
        }
        hasEnded.wait()
        XCTAssertEqual(restarted.withLock { $0 }, true, "no restart within a minute")
        assert(losses, atMost: lost * Self.restarts, of: count)
    }

    func testAGetDuringGracefulRestartsIsNotLost() throws {
        let server = try start()
        // A request is sent again once, on a new connection. It is lost if that one ends too, or if its first one was new. Most
        // runs lose one request or none.
        assertNoneIsLostInRestarts(
            of: server, server.secure, through: trusting(server), version: .http2, lost: Self.concurrency)
    }

    func testAGetOverHTTP1DuringGracefulRestartsIsNotLost() throws {
        let server = try start()
        // Without `SilentResendGuard`, libcurl itself sends the request again on another kept connection. The request is lost
        // if that one ends as well.
        let lost = Quirks.areOff ? Self.concurrency / 2 : 0
        assertNoneIsLostInRestarts(of: server, server.plain, through: transport(), lost: lost)
    }
}
