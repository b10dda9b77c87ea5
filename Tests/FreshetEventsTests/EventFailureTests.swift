import FreshetEvents
import FreshetHTTP
import XCTest

final class EventFailureTests: XCTestCase {
    private func failure(_ data: String, type: String = "message") -> EventFailure? {
        (EventFailure.common(ServerSentEvent(type: type, data: data)) as? HTTPClientError)?.underlying as? EventFailure
    }

    func testErrorsOfBothFormsAreRecognized() {
        for (type, data, kind, message) in [
            ("error", #"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, "overloaded_error", "m"),
            ("message", #"{"error":{"message":"m","type":"server_error","code":null}}"#, "server_error", "m"),
            ("message", #"{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}"#, "UNAVAILABLE", "m"),
            ("message", #"{"id":"1","error":{"code":429,"message":"m"}}"#, "429", "m"),
            ("message", #"{"error":500}"#, "500", ""), ("message", #"{"error":true}"#, "", ""),
            ("message", #"{"error":["m"]}"#, "", ""), ("message", #"{"error":"m"}"#, "", "m"),
            ("message", #" {"error" : {"reason": 1} }"#, "", ""), ("error", #"{"error":{}}"#, "", ""),
            ("error", "{}", "", ""),
            ("error", #"{"type":"error","code":"rate_limit_exceeded","message":"m"}"#, "rate_limit_exceeded", "m"),
            ("error", #"{"code":500,"message":"m"}"#, "500", "m"), ("error", "no JSON", "", ""), ("error", "", "", ""),
        ] {
            let found = failure(data, type: type)
            XCTAssertEqual(found?.kind, kind, data)
            XCTAssertEqual(found?.message, message, data)
            XCTAssertEqual(found?.event, ServerSentEvent(type: type, data: data))
        }
    }

    /// OpenAI's responses API reports the error of the response that failed.
    func testTheErrorOfAFailedResponseIsRecognized() {
        let data = #"{"type":"response.failed","response":{"id":"1","error":{"code":"server_error","message":"m"}}}"#
        let found = failure(data, type: "response.failed")
        XCTAssertEqual(found?.kind, "server_error")
        XCTAssertEqual(found?.message, "m")
        XCTAssertEqual(found?.isTransient, true)
    }

    func testOtherEventsAreNotErrors() {
        for data in [
            #"{"type":"response.created","response":{"id":"1","error":null}}"#, #"{"response":"error","error":null}"#,
            #"{"response":{"output":[{"error":"m"}]}}"#,
            "", "x", "[DONE]", #"{"a":"\"error\":{}"}"#, #"{"error":null}"#, #"{"a":{"error":{}}}"#, #"["error"]"#,
            #""error""#, #"{"errors":[]}"#, #"{"a":"error"}"#, #""error"#,
            #"{"error":false}"#, #"{"error":0}"#, #"{"error":""}"#, #"{"error":[]}"#, #" {"error" : {} }"#,
        ] {
            XCTAssertNil(failure(data), data)
        }
    }

    func testErrorsThatMayBeTemporaryAreTransient() {
        for (kind, isTransient) in [
            ("overloaded_error", true), ("rate_limit_error", true), ("RESOURCE_EXHAUSTED", true), ("503", true),
            ("api_error", true), ("429", true), ("400", false), ("invalid_request_error", false), ("", false),
            ("insufficient_quota", false), ("authentication_error", false),
        ] {
            let failure = EventFailure(kind: kind, message: "", event: ServerSentEvent(data: ""))
            XCTAssertEqual(failure.isTransient, isTransient, kind)
            XCTAssertEqual(EventSource.Settings.isTransient(failure.clientError), isTransient, kind)
        }
    }

    /// OpenAI reports a limit with what is limited as the type, and with the reason as the code.
    func testALimitIsTransientAlsoIfOnlyTheCodeNamesIt() {
        for (data, kind) in [
            (#"{"error":{"type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, "rate_limit_exceeded"),
            (#"{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}"#, "rate_limit_exceeded"),
            (#"{"error":{"message":"m","type":"overloaded_error","code":"busy"}}"#, "overloaded_error"),
        ] {
            XCTAssertEqual(failure(data)?.kind, kind)
            XCTAssertEqual(failure(data)?.isTransient, true, data)
        }
        let spent = #"{"error":{"message":"m","type":"insufficient_quota","code":"429"}}"#
        XCTAssertEqual(failure(spent)?.kind, "insufficient_quota")
        XCTAssertEqual(failure(spent)?.isTransient, false)
    }

    func testTheDescriptionOmitsTheMessage() {
        let data = #"{"error":{"type":"a b sk-123","message":"key sk-123"}}"#
        let error = EventFailure.common(ServerSentEvent(data: data)) as? HTTPClientError
        XCTAssertEqual(error?.code, .status)
        XCTAssertFalse("\(error!)".contains("sk-123"))
        XCTAssertTrue("\(EventFailure(kind: "busy", message: "", event: .init(data: "")).clientError)".contains("busy"))
    }
}
