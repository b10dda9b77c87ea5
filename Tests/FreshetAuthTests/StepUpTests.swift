import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// typescript-sdk#2255, JanssenProject/jans#6015: the client refreshed, and the new token had the same rights.
final class StepUpTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func demand(_ status: HTTPResponse.Status, _ challenge: String) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [.wwwAuthenticate: challenge], body: "no")
    }

    private let scopes = #"Bearer error="insufficient_scope", scope="read write""#
    private let recent = #"DPoP error="insufficient_user_authentication", acr_values="mfa pwd", max_age="5""#

    func testAStepUpDemandIsReportedAndCausesNoRefresh() throws {
        for policy in [StepUpPolicy.deliver, .fail] {
            for (status, challenge) in [(HTTPResponse.Status.forbidden, scopes), (.unauthorized, recent)] {
                var settings = RefreshGate.Settings()
                settings.whenStepUpIsRequired = policy
                let bench = try LoginBench(settings: settings)
                bench.api.enqueue(demand(status, challenge))
                let outcome = bench.get()
                XCTAssertEqual(bench.demands.withLock { $0.count }, 1)
                XCTAssertEqual(bench.refreshes.withLock { $0 }, 0)
                switch outcome {
                case .success(let response): XCTAssertEqual(policy, .deliver, "\(response.status)")
                case .failure(let error as HTTPClientError):
                    XCTAssertEqual(policy, .fail)
                    XCTAssertEqual(error.code, .stepUpRequired)
                    XCTAssertEqual(error.response?.status, status)
                default: XCTFail("no outcome")
                }
            }
        }
    }

    func testTheParametersOfAStepUpDemandAreRead() throws {
        let url = try RequestURL("https://api.example/")
        func stepUp(_ status: Int, _ challenge: String) -> StepUp? {
            StepUp(
                Response(
                    head: HTTPResponse(status: .init(code: status), headerFields: [.wwwAuthenticate: challenge]),
                    body: [],
                    url: url))
        }
        XCTAssertEqual(stepUp(403, scopes)?.scopes, ["read", "write"])
        XCTAssertEqual(stepUp(401, recent)?.acrValues, ["mfa", "pwd"])
        XCTAssertEqual(stepUp(401, recent)?.maxAge, 5)
        for text in ["nan", "inf", "-5", "0x10", "soon"] {
            XCTAssertNil(stepUp(401, recent.replacing(#""5""#, with: "\"\(text)\""))?.maxAge, text)
        }
        let endless = String(repeating: "9", count: 400)
        XCTAssertEqual(stepUp(401, recent.replacing(#""5""#, with: "\"\(endless)\""))?.maxAge, 1e10)
        XCTAssertNil(stepUp(401, #"Bearer error="invalid_token""#))
        XCTAssertNil(stepUp(200, scopes))
    }
}
