import Foundation
import Freshet
import XCTest

final class LocalizedErrorTests: XCTestCase {
    func testTheLocalizedDescriptionIsTheDescription() {
        let client = HTTPClientError(
            .timeout, phase: .waiting, origin: "https://h", message: "nothing came", recoverySuggestion: .allowMoreTime)
        let errors: [any Error] = [
            client, RxError.timeout, StoreError("the store is locked"), OverflowError(capacity: 3),
            EventFailure(kind: "overloaded", message: "later", event: ServerSentEvent(data: "")),
        ]
        for error in errors { XCTAssertEqual(error.localizedDescription, "\(error)") }
        XCTAssertEqual(client.recoverySuggestion, .allowMoreTime)
    }
}
