import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import XCTest

@testable import FreshetSignIn

/// Tests keys that are not in this program.
final class SignerTests: XCTestCase {
    /// Signs a second later, as a hardware module does.
    private struct SlowSigner: Signer {
        let algorithm = SigningKey.Algorithm.es256
        let scheduler: TestScheduler

        func sign(_ bytes: [UInt8]) -> Single<[UInt8]> {
            Single<Int>.timer(.seconds(1), scheduler: scheduler).map { _ in Array("signed \(bytes.count)".utf8) }
        }
    }

    func testATokenRequestWaitsForAnAsynchronousSignature() throws {
        let bench = LoginBench()
        bench.script(.json(#"{"access_token":"a"}"#))
        let endpoint = try TokenEndpoint(
            url: RequestURL("https://id.example/token"), clientID: "cli",
            clientAuthentication: .privateKeyJWT(
                key: SlowSigner(scheduler: bench.scheduler), clientID: "cli", audience: .endpoint,
                secondsSince1970: { 1000 }),
            client: bench.client)
        let subscription = endpoint.send([("grant_type", "x")], key: nil).subscribe()
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(bench.times.withLock { $0 }, [1])
        let form = try XCTUnwrap(bench.server.requests.first).text
        let assertion = try XCTUnwrap(form.split(separator: "&").first { $0.hasPrefix("client_assertion=") })
        let parts = assertion.split(separator: "=")[1].split(separator: ".")
        let (header, signature) = (Base64URL.decoded(parts[0]) ?? [], Base64URL.decoded(parts[2]) ?? [])
        XCTAssertTrue(String(decoding: header, as: UTF8.self).contains(#""alg":"ES256""#))
        XCTAssertEqual(
            String(decoding: signature, as: UTF8.self), "signed \(parts[0].utf8.count + 1 + parts[1].utf8.count)")
    }
}
