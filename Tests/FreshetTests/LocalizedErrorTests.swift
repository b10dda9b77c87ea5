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

    func testTheDescriptionOfAnEventFailureHasItsKindAndNotTheTextOfTheServer() {
        for (kind, text) in [("overloaded_error", "overloaded_error"), ("a key sk-1", "an error"), ("", "an error")] {
            let event = ServerSentEvent(type: "error", data: "the question")
            let failure: any Error = EventFailure(kind: kind, message: "the key sk-1", event: event)
            let sentence = "the server reported \(text) within the stream"
            XCTAssertEqual(failure.localizedDescription, sentence)
            XCTAssertEqual([String(describing: failure), String(reflecting: failure)], [sentence, sentence])
        }
    }
}
