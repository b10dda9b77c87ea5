import FreshetHTTP
import HTTPTypes
import XCTest

final class PlacedSecretsTests: XCTestCase {
    /// Adds `fields` to a request, and returns what is recorded, and how many times the credential was computed.
    private func recorded(_ fields: HTTPFields) throws -> (placed: PlacedSecrets?, computations: Int) {
        let plain = try Request(.get, "http://a/")
        var request = plain
        request.headers.append(contentsOf: fields)
        var computations = 0
        func secrets() -> [String] {
            computations += 1
            return ["SECRET"]
        }
        request.recordSecrets(secrets(), addedTo: plain)
        return (request.tags[PlacedSecrets.self], computations)
    }

    func testTheCredentialOfSeveralFieldsIsComputedOnce() throws {
        let (key, version) = (try XCTUnwrap(HTTPField.Name("X-Key")), try XCTUnwrap(HTTPField.Name("X-Version")))
        let (placed, computations) = try recorded([key: "SECRET", version: "1", .cookie: "a=SECRET"])
        XCTAssertEqual(placed, PlacedSecrets(names: ["x-key", "cookie"], requestFields: [version]))
        XCTAssertEqual(computations, 1)
    }

    func testTheCredentialIsNotComputedIfNothingButTheAuthorizationWasAdded() throws {
        for fields: HTTPFields in [[:], [.authorization: "Bearer SECRET"]] {
            let (placed, computations) = try recorded(fields)
            XCTAssertNil(placed)
            XCTAssertEqual(computations, 0)
        }
    }
}
