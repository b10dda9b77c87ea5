import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests which servers the transport trusts, and how it identifies itself to them.
final class TransportTLSTests: TransportTestCase {
    // The servers are shared by all tests of the class, because making certificates takes a while.
    nonisolated(unsafe) private static var servers: TLSServers?

    override class func tearDown() {
        servers = nil
        super.tearDown()
    }

    private func servers() throws -> TLSServers {
        if let servers = Self.servers { return servers }
        let servers = try TLSServers()
        Self.servers = servers
        return servers
    }

    private func trusting(_ configure: (inout CurlTransport.Configuration.TLS) -> Void = { _ in }) throws
        -> CurlTransport
    {
        let authority = try servers().certificates.path("ca.pem")
        return transport {
            $0.tls.caFile = authority
            configure(&$0.tls)
        }
    }

    private func assertTLS(_ outcome: Outcome, saying words: String..., line: UInt = #line) {
        XCTAssertEqual(outcome.error?.code, .tls, "\(outcome.error.debugDescription)", line: line)
        XCTAssertEqual(outcome.error?.phase, .securing, line: line)
        XCTAssertEqual(outcome.error?.isUnsent, true, line: line)
        for words in words {
            XCTAssertTrue(
                outcome.error?.description.contains(words) == true, "\(outcome.error.debugDescription)", line: line)
        }
    }

    func testEachDefectOfACertificateIsAnErrorWithAdvice() throws {
        let servers = try servers()
        let transport = try trusting()
        XCTAssertEqual(try outcome(transport, servers.url("good")).text.prefix(4), "good")
        assertTLS(try outcome(transport, servers.url("other")), saying: "localhost", "a name that its certificate has")
        assertTLS(try outcome(transport, servers.url("expired")), saying: "it has expired")
        assertTLS(try outcome(transport, servers.url("selfSigned")), saying: "signed by itself")
        let stranger = servers.certificates.path("stranger.pem")
        let distrusting = self.transport { $0.tls.caFile = stranger }
        assertTLS(try outcome(distrusting, servers.url("good")), saying: "its authority")
        XCTAssertEqual(distrusting.gauges, ConnectionPoolStatistics())
    }

    func testAuthoritiesAreAcceptedAsBytes() throws {
        let servers = try servers()
        let authority = try servers.certificates.bytes("ca.pem")
        let transport = transport {
            $0.tls.caFile = "/nonexistent.pem"
            $0.tls.caCertificates = .bytes(authority)
        }
        XCTAssertEqual(try outcome(transport, servers.url("good")).text.prefix(4), "good")
        assertTLS(try outcome(transport, servers.url("selfSigned")))
    }

    func testInsecureVerificationAcceptsAnyServer() throws {
        let servers = try servers()
        let transport = try trusting { $0.verification = .insecureAcceptAnyServer }
        for name in ["good", "other", "expired", "selfSigned"] {
            XCTAssertEqual(try outcome(transport, servers.url(name)).text.prefix(name.count), name[...])
        }
    }

    func testAPinnedKeyIsRequired() throws {
        let servers = try servers()
        let (good, other) = (try servers.certificates.pin("good"), try servers.certificates.pin("other"))
        let pinned = try trusting { $0.pinnedKeys = ["localhost": [other, good]] }
        XCTAssertEqual(try outcome(pinned, servers.url("good")).text.prefix(4), "good")
        let wrong = try trusting { $0.pinnedKeys = ["*": [other]] }
        assertTLS(try outcome(wrong, servers.url("good")), saying: "none of those pinned")
        // A pin applies to its host only. Accepting any server does not lift a pin.
        let elsewhere = try trusting { $0.pinnedKeys = ["api.test": [other]] }
        XCTAssertEqual(try outcome(elsewhere, servers.url("good")).text.prefix(4), "good")
        let insecure = try trusting {
            $0.pinnedKeys = ["*": [other]]
            $0.verification = .insecureAcceptAnyServer
        }
        assertTLS(try outcome(insecure, servers.url("good")))
    }

    /// libcurl checks one certificate for all of them, so a link with another spelling would go past the pin.
    func testAPinAppliesToEachSpellingOfItsHost() throws {
        let servers = try servers()
        let (good, other) = (try servers.certificates.pin("good"), try servers.certificates.pin("other"))
        let port = try XCTUnwrap(RequestURL(servers.url("good")).origin.port)
        for (entry, host) in [
            ("localhost", "localhost."), ("localhost.", "localhost"), ("127.0.0.1", "127.1"),
            ("0x7f000001", "127.0.0.1"),
        ] {
            let transport = transport {
                $0.tls.pinnedKeys = [entry: [other], "*": [good]]
                $0.tls.verification = .insecureAcceptAnyServer
                $0.addresses.overrides["localhost."] = ["127.0.0.1"]
            }
            assertTLS(try outcome(transport, "https://\(host):\(port)/"), saying: "none of those pinned")
        }
    }

    /// An entry that never matches would pin nothing, without a sign of it.
    func testAnEntryOfThePinnedKeysThatCanNeverMatchIsAnError() throws {
        let servers = try servers()
        let good = try servers.certificates.pin("good")
        for host in ["localhost:8443", "https://localhost", "localhost/", " localhost", "*.localhost", ""] {
            let transport = try trusting { $0.pinnedKeys = [host: [good]] }
            let error = try XCTUnwrap(outcome(transport, servers.url("good")).error, host)
            XCTAssertEqual(error.code, .invalidRequest, host)
            XCTAssertTrue(error.message.hasPrefix("\(host) in the pinned keys is no host name"), error.message)
        }
        let noHashes = ["", "AAAA", String(repeating: "=", count: 44), String(repeating: "A", count: 44)]
        for keys in [[], [String(good.dropFirst(8))], ["/path/to/certificate.pem"]]
            + noHashes.map({ [good, "sha256//\($0)"] })
        {
            let transport = try trusting { $0.pinnedKeys = ["api.test": keys] }
            let error = try XCTUnwrap(outcome(transport, servers.url("good")).error, "\(keys)")
            XCTAssertEqual(error.message, "a key pinned for api.test is no hash of a public key")
        }
    }

    func testAClientPresentsItsCertificate() throws {
        let servers = try servers()
        let files = servers.certificates
        typealias Identity = CurlTransport.Configuration.Identity
        let (certificate, key) = (try files.bytes("client.pem"), try files.bytes("client.key"))
        let identities = [
            Identity(certificate: .file(files.path("client.pem")), key: .file(files.path("client.key"))),
            Identity(certificate: .bytes(certificate), key: .bytes(key)),
            Identity(certificate: .bytes(certificate + key)),
            Identity(
                certificate: .file(files.path("client.pem")), key: .file(files.path("locked.key")),
                passphrase: "open sesame"),
        ]
        for identity in identities {
            let transport = try trusting { $0.identity = identity }
            let outcome = try outcome(transport, servers.url("mutual"))
            XCTAssertTrue(outcome.text.hasSuffix("CN=client"), "\(outcome.text) \(outcome.error.debugDescription)")
        }
        // Without a client certificate this server responds that it requires one.
        XCTAssertEqual(try outcome(try trusting(), servers.url("mutual")).head?.status.code, 400)
    }

    func testAnUnusableIdentityIsAnErrorWithoutTheSecret() throws {
        let servers = try servers()
        let files = servers.certificates
        for (key, passphrase) in [("locked.key", "wr0ng"), ("good.key", nil), ("missing.key", nil)] {
            let transport = try trusting {
                $0.identity = .init(
                    certificate: .file(files.path("client.pem")), key: .file(files.path(key)), passphrase: passphrase)
            }
            let outcome = try outcome(transport, servers.url("mutual"))
            assertTLS(outcome, saying: "passphrase")
            XCTAssertFalse("\(outcome.error!)".contains("wr0ng"))
        }
        var configuration = CurlTransport.Configuration()
        configuration.tls.identity = .init(certificate: .text("S3CRET"), key: .text("S3CRET"), passphrase: "S3CRET")
        var dumped = ""
        dump(configuration, to: &dumped)
        XCTAssertFalse((dumped + "\(configuration)" + String(reflecting: configuration)).contains("S3CRET"))
    }

    func testTheMinimumVersionIsEnforced() throws {
        let servers = try servers()
        XCTAssertTrue(try outcome(try trusting(), servers.url("old")).text.contains("TLSv1.2"))
        let modern = try trusting { $0.minimumVersion = .tls13 }
        assertTLS(try outcome(modern, servers.url("old")), saying: "versions")
        XCTAssertTrue(try outcome(modern, servers.url("good")).text.contains("TLSv1.3"))
    }

    func testAServerWithoutTLSIsAnErrorWithAdvice() throws {
        let listener = try UnixListener(answering: "HTTP/1.1 400 Bad Request\r\n\r\n")
        defer { listener.close() }
        let origin = try Origin("https://plain.test")
        let transport = transport { $0.addresses.unixSockets[origin] = listener.path }
        assertTLS(try outcome(transport, "https://plain.test/"), saying: "check that the port speaks TLS")
    }
}
