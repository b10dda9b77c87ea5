import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// A graceful restart of Apache ends its connections once their requests are answered, over HTTP/2 by GOAWAY.
final class ApacheTests: ServerTestCase {
    private func start() throws -> ServerProcess {
        try ServerProcess("apache2") { place in
            let modules = ["mpm_event", "authz_core", "dir", "mime", "ssl", "http2"].map {
                "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
            }
            try place.write("ok", to: "index.html")
            let configuration = try place.write(
                """
                \(modules.joined(separator: "\n"))
                ServerRoot \(place.directory)
                ServerName localhost
                PidFile apache.pid
                ErrorLog error.log
                DefaultRuntimeDir \(place.directory)
                Mutex pthread
                TypesConfig /dev/null
                DocumentRoot \(place.directory)
                DirectoryIndex index.html
                <Directory \(place.directory)>
                    Require all granted
                </Directory>
                Listen 127.0.0.1:\(place.plainPort)
                Listen 127.0.0.1:\(place.securePort)
                KeepAlive On
                MaxKeepAliveRequests 0
                StartServers 1
                <VirtualHost *:\(place.securePort)>
                    Protocols h2 http/1.1
                    SSLEngine on
                    SSLCertificateFile \(place.certificate)
                    SSLCertificateKeyFile \(place.key)
                </VirtualHost>
                """, to: "apache.conf")
            return ["-f", configuration, "-D", "FOREGROUND"]
        }
    }

    /// Restarts the server every 0.4 s while `body` runs, which it does until there were three restarts.
    private func restarting(_ server: ServerProcess, while body: () -> Void) {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .milliseconds(400), repeating: .milliseconds(400))
        let restarts = Locked(0)
        timer.setEventHandler { [unowned server] in
            server.signal(SIGUSR1)
            restarts.withLock { $0 += 1 }
        }
        let isCancelled = DispatchSemaphore(value: 0)
        timer.setCancelHandler { isCancelled.signal() }
        timer.resume()
        repeat { body() } while restarts.withLock { $0 } < 3
        timer.cancel()
        isCancelled.wait()
    }

    func testAGetDuringGracefulRestartsIsNotLost() throws {
        let server = try start()
        let transport = trusting(server)
        restarting(server) {
            // A request that two connections die under is lost: it is sent again once.
            assertNoneIsLost(8000, .get, server.secure, through: transport, version: .http2, lost: 16)
        }
    }

    func testAGetOverHTTP1DuringGracefulRestartsIsNotLost() throws {
        let server = try start()
        let transport = transport()
        restarting(server) { assertNoneIsLost(8000, .get, server.plain, through: transport) }
    }
}
