import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class CredentialPlacementTests: XCTestCase {
    private let field = HTTPField.Name("X-Access")!

    func testWithoutASchemeTheFieldContainsTheTokenOnly() throws {
        let placement = CredentialPlacement.authorization(scheme: "")
        let request = placement.apply(pair(1), to: try Request(.get, "https://h/"))
        XCTAssertEqual(request.headers[.authorization], "a1")
        XCTAssertTrue(placement.isRequest(request, authenticatedWith: pair(1)))
        XCTAssertFalse(placement.isRequest(request, authenticatedWith: pair(2)))
    }

    // The value of a field never begins or ends with a space, whatever the caller set.
    func testATokenWithATrailingBlankIsRecognised() throws {
        let credential = Credential(accessToken: "a1 ")
        for placement in [.authorization(), .fields(access: field)] as [CredentialPlacement] {
            let request = placement.apply(credential, to: try Request(.get, "https://h/"))
            XCTAssertTrue(placement.isRequest(request, authenticatedWith: credential))
        }
    }

    func testACachedFieldIsNotUsedForAnotherToken() throws {
        let placement = CredentialPlacement.authorization()
        for credential in [pair(1), pair(1), pair(2), pair(1)] {
            for headers in [[:], [.authorization: "Basic x", .accept: "*/*"]] as [HTTPFields] {
                let request = placement.apply(
                    credential, to: Request(url: try RequestURL("https://h/"), headers: headers))
                XCTAssertEqual(request.headers[.authorization], "Bearer \(credential.accessToken)")
                XCTAssertEqual(request.headers.count, max(1, headers.count))
            }
        }
        XCTAssertEqual(placement, .authorization())
    }

    func testADumpOfAPlacementWithACachedFieldContainsNoToken() throws {
        let placement = CredentialPlacement.authorization()
        let credential = Credential(accessToken: "s3cret")
        _ = placement.apply(credential, to: try Request(.get, "https://h/"))
        var text = "\(placement) \(String(reflecting: placement))"
        dump(placement, to: &text)
        XCTAssertFalse(text.contains("s3cret"), text)
    }
}
