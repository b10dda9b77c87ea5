import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// Tests what the errors of a discovery say.
final class DiscoveryMessageTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func metadata(_ issuer: String, _ rest: String = "") -> ScriptedResponse {
        .json(#"{"issuer":"\#(issuer)","token_endpoint":"https://id.example/token"\#(rest)}"#)
    }

    private func result<Value>(_ bench: LoginBench, _ single: Single<Value>) throws -> Value {
        let ending = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { event in ending.withLock { $0 = event } }
        bench.scheduler.start()
        subscription.dispose()
        return try XCTUnwrap(ending.withLock { $0 }).get()
    }

    private func server(_ issuer: String, _ bench: LoginBench) throws -> AuthorizationServer {
        try result(bench, Discovery(client: bench.client).server(issuer: issuer))
    }

    func testTheErrorOfWrongMetadataNamesItsAddressAndWhatItIsAbout() throws {
        let bench = LoginBench()
        bench.script(.json(#"{"issuer":"https://id.example","token_endpoint":"/token"}"#))
        let well = "https://id.example/.well-known/oauth-authorization-server"
        XCTAssertThrowsError(try server("https://id.example", bench)) { error in
            XCTAssertEqual((error as? HTTPClientError)?.message, "\(well): its token_endpoint is no URL")
            XCTAssertEqual((error as? HTTPClientError)?.origin, "https://id.example")
        }
        for (named, shown) in [("https://api.example/b", "that of https://api.example/b"), ("urn:x", "another one's")] {
            bench.script(.json(#"{"resource":"\#(named)","authorization_servers":["https://id.example"]}"#))
            let url = try RequestURL("https://api.example/a")
            XCTAssertThrowsError(try result(bench, Discovery(client: bench.client).resource(at: url))) { error in
                let text = "\(error)"
                XCTAssertTrue(text.contains("the metadata of https://api.example/a is \(shown); name"), text)
                XCTAssertFalse(text.contains("check the issuer"), text)
            }
        }
    }

    func testMetadataThatIsTooLargeSuggestsACheckOfTheIssuer() throws {
        let bench = LoginBench()
        bench.script(ScriptedResponse(body: String(repeating: " ", count: 2 << 20)))
        XCTAssertThrowsError(try server("https://id.example", bench)) { error in
            let error = error as? HTTPClientError
            XCTAssertEqual(error?.code, .discovery)
            XCTAssertEqual(error?.recoverySuggestion, "check the issuer, or name the endpoints themselves")
        }
    }

    func testTheErrorNamesTheOtherIssuerAsItIsWritten() throws {
        let bench = LoginBench()
        bench.script(metadata("https://127.0.0.1:9"))
        XCTAssertThrowsError(try server("https://localhost:9", bench)) { error in
            XCTAssertEqual(
                (error as? HTTPClientError)?.message,
                "the metadata of https://localhost:9 is that of https://127.0.0.1:9")
        }
    }
}
