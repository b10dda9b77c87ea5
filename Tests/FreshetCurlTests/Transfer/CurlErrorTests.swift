import FreshetHTTP
import XCTest

@testable import FreshetCurl

/// Tests what a result of libcurl, given by its number in C, means to the caller, and which recovery the error suggests.
final class CurlErrorTests: XCTestCase {
    private func context(
        _ phase: HTTPClientError.Phase = .receiving, decodes: Bool = false, route: Route? = nil, hasHead: Bool = true,
        isMultiplexed: Bool = false, isChunked: Bool = false, isUnsent: Bool = false, isConnectionEnded: Bool = false,
        alert: Int? = nil, verification: Int = 0, tunnelStatus: Int = 0, isRefusedBySOCKS: Bool = false,
        hasIdentity: Bool = false
    ) -> FailureContext {
        FailureContext(
            phase: phase, decodes: decodes, detail: "", route: route, isMultiplexed: isMultiplexed, hasHead: hasHead,
            isChunked: isChunked, isUnsent: isUnsent, isConnectionEnded: isConnectionEnded, alert: alert,
            verification: verification, tunnelStatus: tunnelStatus, isRefusedBySOCKS: isRefusedBySOCKS,
            hasIdentity: hasIdentity)
    }

    private func check(
        _ numbers: UInt32..., in context: FailureContext, _ code: HTTPClientError.Code,
        _ recoverySuggestion: HTTPClientError.RecoverySuggestion, file: StaticString = #filePath, line: UInt = #line
    ) {
        for number in numbers {
            let meaning = CurlError(code: number).meaning(in: context)
            XCTAssertEqual(meaning.0, code, "\(number)", file: file, line: line)
            XCTAssertEqual(meaning.2, recoverySuggestion, "\(number)", file: file, line: line)
        }
    }

    func testAConnectFailureSuggestsACheckOfThePhaseThatFailed() {
        check(5, 6, in: context(.resolving), .resolve, "check the name and the resolver")
        check(7, in: context(.connecting), .connect, "check that the server runs and can be reached")
        check(
            7, in: context(.connecting, route: Route(socketPath: "/s")), .connect,
            "check that the server runs and the path")
        check(45, in: context(.connecting), .connect, "take one of this machine that leads there")
        check(3, in: context(.preparing), .invalidRequest, "check its host and port")
    }

    func testATemporaryFailureSuggestsAnotherTry() {
        check(28, in: context(), .timeout, .allowMoreTime)
        check(18, 52, 55, 92, in: context(), .connectionLost, .tryAgain)
        check(16, 56, in: context(isConnectionEnded: true), .connectionLost, .tryAgain)
        check(23, in: context(), .connectionLost, .tryAgain)
        check(27, in: context(.preparing), .overloaded, "lower the load")
        check(81, in: context(), .overloaded, "lower the load")
    }

    func testAResponseThatIsNotHTTPSuggestsACheckOfTheAddress() {
        let noServer: HTTPClientError.RecoverySuggestion = "check that the address is that of an HTTP server"
        check(1, 8, 56, 63, in: context(), .protocol, noServer)
        check(43, 56, in: context(isChunked: true), .protocol, noServer)
        check(43, in: context(.waiting, hasHead: false), .protocol, "check which server runs there")
        check(61, in: context(hasHead: false), .protocol, "check which server runs there")
        check(100, in: context(), .tooLarge, .raiseHeadLimit)
        check(27, in: context(.waiting), .tooLarge, .raiseHeadLimit)
    }

    func testAnUndecodableBodySuggestsAnotherEncoding() {
        check(61, in: context(), .decoding, "ask for the response without compression")
        check(23, in: context(decodes: true), .decoding, .disableCompression)
    }

    func testAViolationOfHTTP2SuggestsHTTP1() {
        check(16, 56, in: context(isMultiplexed: true), .protocol, .useHTTP1)
    }

    func testAKeyThatCannotBeReadIsAnErrorOfTheIdentity() {
        let advice: HTTPClientError.RecoverySuggestion =
            "check that both are there, are PEM and belong together, and check the passphrase"
        check(58, in: context(.securing, hasHead: false, isUnsent: true, hasIdentity: true), .tls, advice)
        check(43, in: context(.connecting, hasHead: false, isUnsent: true, hasIdentity: true), .tls, advice)
    }

    func testARefusedCertificateSuggestsAFixForItsDefect() {
        func refused(_ verification: Int) -> FailureContext { context(.securing, verification: verification) }
        check(60, in: refused(9), .tls, "it is not valid yet: check this machine's clock")
        check(60, in: refused(10), .tls, "it has expired: have it renewed, or check this machine's clock")
        check(
            60, in: refused(18), .tls,
            "it is signed by itself: if it is the right one, trust it as an authority of its own")
        check(60, 83, 91, in: refused(20), .tls, "trust the certificate of its authority, if that is the right one")
        check(60, in: refused(0), .tls, "ask for the server by a name that its certificate has")
        check(90, in: refused(0), .tls, "find out whose it is before pinning it too")
        check(77, in: refused(0), .tls, .checkTrustRoots)
    }

    func testAFailedHandshakeSuggestsACheckOfTheClientOrTheServer() {
        check(
            35, 56, in: context(.securing, alert: 40), .tls,
            "check the client's certificate, and which versions it speaks")
        check(35, 59, in: context(.securing), .tls, "check that the port speaks TLS, and which versions")
        check(98, in: context(.securing), .tls, .setClientIdentity)
        check(56, in: context(.waiting, alert: 116), .tls, .setClientIdentity)
        check(
            58, in: context(.securing), .tls,
            "check that both are there, are PEM and belong together, and check the passphrase")
    }

    func testAnAddressThatCannotBeUsedSuggestsAnother() {
        let path = Route(socketPath: "/s.sock")
        check(6, in: context(.resolving, route: path, isUnsent: true), .connect, "use a shorter path")
        check(
            49, in: context(.resolving, hasHead: false, isUnsent: true), .resolve,
            "write numeric addresses, without brackets")
    }

    func testAFailureOfTheProxySuggestsACheckOfTheProxy() throws {
        let proxy = Route(proxy: try XCTUnwrap(ProxyServer("http://proxy:3128")))
        let known = Route(proxy: try XCTUnwrap(ProxyServer("http://u:p@proxy:3128")))
        func unsent(_ route: Route, _ status: Int = 0) -> FailureContext {
            context(.connecting, route: route, isUnsent: true, tunnelStatus: status)
        }
        check(7, 8, 52, 55, 56, 97, in: unsent(proxy), .connect, "check that it runs and can reach the server")
        check(56, in: unsent(proxy, 407), .connect, "put them into its URL")
        check(56, in: unsent(known, 407), .connect, "check them")
        check(56, in: unsent(proxy, 502), .connect, "check that it can and may reach the server")
        let secure = Route(proxy: try XCTUnwrap(ProxyServer("https://proxy:3128")))
        check(60, in: unsent(secure), .tls, "trust its authority")
        check(56, in: context(route: proxy, isConnectionEnded: true), .connectionLost, .tryAgain)
    }

    func testEachCurlCodeDuringAResponseHasItsErrorCode() {
        let meanings: [(HTTPClientError.Code, [UInt32])] = [
            (.invalidRequest, [3]), (.resolve, [5, 6, 49]), (.connect, [7, 45, 97]), (.timeout, [28]),
            (.tls, [35, 53, 54, 58, 59, 60, 64, 77, 82, 83, 90, 91, 98]), (.protocol, [1, 8, 16, 43, 56, 63, 95]),
            (.tooLarge, [27, 100]), (.decoding, [61]), (.overloaded, [81]),
        ]
        for number: UInt32 in 1...101 {
            let expected = meanings.first { $0.1.contains(number) }?.0 ?? .connectionLost
            let meaning = CurlError(code: number).meaning(in: context())
            XCTAssertEqual(meaning.0, expected, CurlError(code: number).description)
            XCTAssertFalse(meaning.1.isEmpty, "\(number)")
            XCTAssertFalse("\(meaning.2)".isEmpty, "\(number)")
        }
    }

    func testNoErrorContainsThePasswordOfAProxy() throws {
        let route = Route(proxy: try XCTUnwrap(ProxyServer("http://u:s3cret@proxy:3128")))
        for number: UInt32 in 1...99 {
            let meaning = CurlError(code: number).meaning(in: context(.connecting, route: route, isUnsent: true))
            XCTAssertFalse("\(meaning)".contains("s3cret"), "\(number)")
        }
    }
}
