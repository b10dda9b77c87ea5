import FreshetHTTP
import XCTest

@testable import FreshetCurl

/// What a result of libcurl means to the caller, by its number in C, and what to do about it.
final class CurlErrorTests: XCTestCase {
    private func circumstances(
        _ phase: HTTPClientError.Phase = .receiving, detail: String = "", decodes: Bool = false, route: Route? = nil,
        verification: Int = 0, tunnelStatus: Int = 0, isUnsent: Bool = false
    ) -> Circumstances {
        Circumstances(
            phase: phase, decodes: decodes, detail: detail, route: route, verification: verification,
            tunnelStatus: tunnelStatus, isUnsent: isUnsent)
    }

    private func check(
        _ numbers: UInt32..., in circumstances: Circumstances, _ code: HTTPClientError.Code,
        _ remedy: HTTPClientError.Remedy, file: StaticString = #filePath, line: UInt = #line
    ) {
        for number in numbers {
            let meaning = CurlError(code: number).meaning(in: circumstances)
            XCTAssertEqual(meaning.0, code, "\(number)", file: file, line: line)
            XCTAssertEqual(meaning.2, remedy, "\(number)", file: file, line: line)
        }
    }

    func testWhatFailsOnTheWayThereIsLookedForThere() {
        check(5, 6, in: circumstances(.resolving), .resolve, "check the name and the resolver")
        check(7, in: circumstances(.connecting), .connect, "check that the server runs and can be reached")
        check(
            7, in: circumstances(.connecting, route: Route(socketPath: "/s")), .connect,
            "check that the server runs and the path")
        check(45, in: circumstances(.connecting), .connect, "take one of this machine that leads there")
        check(3, in: circumstances(.preparing), .invalidRequest, "check its host and port")
    }

    func testWhatPassesIsTriedAgain() {
        check(28, in: circumstances(), .timeout, .allowMoreTime)
        check(18, 52, 55, 56, in: circumstances(), .connectionLost, .tryAgain)
        check(23, in: circumstances(), .connectionLost, .tryAgain)
        check(27, in: circumstances(.preparing), .overloaded, "lower the load")
        check(81, in: circumstances(), .overloaded, "lower the load")
    }

    func testWhatIsNoHTTPMayBeAnothersAddress() {
        let noServer: HTTPClientError.Remedy = "check that the address is that of an HTTP server"
        check(1, 8, 63, in: circumstances(), .protocol, noServer)
        check(56, in: circumstances(detail: "Malformed encoding found in chunked-encoding"), .protocol, noServer)
        check(43, in: circumstances(detail: "x in chunked-encoded stream"), .protocol, noServer)
        check(43, in: circumstances(.waiting), .protocol, "check what answers there")
        check(
            56, in: circumstances(detail: "Out of memory in chunked-encoding"), .tooLarge, "check what answers there")
        check(27, in: circumstances(.waiting), .tooLarge, .raiseHeadLimit)
    }

    func testWhatCannotBeDecodedIsAskedForOtherwise() {
        check(61, in: circumstances(), .decoding, "ask for another, or for none")
        check(23, in: circumstances(decodes: true), .decoding, .askUncompressed)
    }

    func testWhatBreaksTheRulesOfHTTP2IsAskedForByHTTP1() {
        let frames = "process_pending_input: nghttp2_session_mem_recv() returned"
        check(56, in: circumstances(detail: "\(frames) -902:x"), .tooLarge, .askForHTTP1)
        check(56, in: circumstances(detail: "\(frames) -505:x"), .protocol, .askForHTTP1)
        func reset(_ reason: String) -> Circumstances {
            circumstances(detail: "HTTP/2 stream 1 was not closed cleanly: \(reason) (err 1)")
        }
        check(92, in: reset("PROTOCOL_ERROR"), .protocol, .askForHTTP1)
        check(92, in: reset("ENHANCE_YOUR_CALM"), .connectionLost, "try again later, and less often")
        check(92, in: reset("INTERNAL_ERROR"), .connectionLost, .tryAgain)
    }

    func testACertificateThatIsRefusedIsSaidWhatIsWrongWithIt() {
        func refused(_ verification: Int, _ detail: String = "") -> Circumstances {
            circumstances(.securing, detail: detail, verification: verification)
        }
        check(60, in: refused(9), .tls, "it is not valid yet: check this machine's clock")
        check(60, in: refused(10), .tls, "it has expired: have it renewed, or check this machine's clock")
        check(
            60, in: refused(18), .tls,
            "it is signed by itself: if it is the right one, trust it as an authority of its own")
        check(60, 83, 91, in: refused(20), .tls, "trust the certificate of its authority, if that is the right one")
        check(
            60, in: refused(0, "certificate does not match target host name"), .tls,
            "ask for the server by a name that its certificate has")
        check(90, in: refused(0), .tls, "find out whose it is before pinning it too")
        check(77, in: refused(0), .tls, .checkTrustRoots)
    }

    func testAHandshakeThatFailsIsTheClientsOrTheServers() {
        let alert = "error:0A000410:SSL routines::sslv3 alert handshake failure"
        check(
            35, 56, in: circumstances(.securing, detail: alert), .tls,
            "check the client's certificate, and which versions it speaks")
        check(35, 59, in: circumstances(.securing), .tls, "check that the port speaks TLS, and which versions")
        check(98, in: circumstances(.securing), .tls, .giveIdentity)
        check(
            56, in: circumstances(.waiting, detail: "tlsv13 alert certificate required"), .tls, .giveIdentity)
        check(
            58, in: circumstances(.securing), .tls, "check that both are PEM, belong together, and the passphrase")
    }

    func testWhatIsTheProxysIsLookedForAtTheProxy() throws {
        let proxy = Route(proxy: try XCTUnwrap(ProxyServer("http://proxy:3128")))
        let known = Route(proxy: try XCTUnwrap(ProxyServer("http://u:p@proxy:3128")))
        func unsent(_ route: Route, _ status: Int = 0) -> Circumstances {
            circumstances(.connecting, route: route, tunnelStatus: status, isUnsent: true)
        }
        check(7, 8, 52, 55, 56, 97, in: unsent(proxy), .connect, "check that it runs and can reach the server")
        check(56, in: unsent(proxy, 407), .connect, "put them into its URL")
        check(56, in: unsent(known, 407), .connect, "check them")
        check(56, in: unsent(proxy, 502), .connect, "check that it can and may reach the server")
        let secure = Route(proxy: try XCTUnwrap(ProxyServer("https://proxy:3128")))
        check(60, in: unsent(secure), .tls, "trust its authority")
        check(56, in: circumstances(route: proxy), .connectionLost, .tryAgain)
    }

    func testNoMeaningHoldsThePasswordOfAProxy() throws {
        let route = Route(proxy: try XCTUnwrap(ProxyServer("http://u:s3cret@proxy:3128")))
        for number: UInt32 in 1...99 {
            let meaning = CurlError(code: number).meaning(in: circumstances(.connecting, route: route, isUnsent: true))
            XCTAssertFalse("\(meaning)".contains("s3cret"), "\(number)")
        }
    }
}
