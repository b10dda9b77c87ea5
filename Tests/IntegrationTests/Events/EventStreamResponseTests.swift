import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests which responses are streams, and what the client does with the others. Source: the WHATWG HTML standard, section
/// 9.2.3, and the Fetch standard's "extract a MIME type".
final class EventStreamResponseTests: EventStreamTestCase {
    func testVariantsOfTheEventStreamTypeAreAccepted() throws {
        for type in [
            "text/event-stream", "text/event-stream;", "text/event-stream; ", "text/event-stream;charset=utf-8",
            "text/event-stream; charset=windows-1252", "TEXT/Event-Stream", "text/event-stream ; a=b;c",
            "text/event-stream;charset=\"utf-8\"", "text/plain, text/event-stream", "text/event-stream, */*",
            "text/event-stream; a=\"b, text/plain", "nonsense, text/event-stream", "text/event-stream, nonsense",
        ] {
            server.enqueue(.events("data: ok…\n\n", type: type), .noMore)
            let log = try follow().end()
            XCTAssertNil(log.error, type)
            XCTAssertEqual(log.data, ["ok…"], type)
        }
    }

    func testOtherTypesAreRefused() throws {
        for type in [
            "text/x-bogus", "text/plain", "text/html; a=text/event-stream", "application/json", "x bogus", "text",
            "text/event-streams", "text/event-stream+json", "text/event stream", "text /event-stream",
            "text/ event-stream", "text/event-stream x", "event-stream", "*/*", "text/*",
            "text/event-stream, text/plain", "text/event-stream;charset=utf-8, text/plain", "",
        ] {
            server.enqueue(.events("data: a\n\n", type: type))
            let log = try follow().end()
            XCTAssertEqual(log.error?.code, .status, type)
            XCTAssertEqual(log.error?.origin, server.url, type)
            XCTAssertEqual(log.openings, 0, type)
            XCTAssertEqual(log.data, [], type)
        }
        server.enqueue(.events("data: a\n\n", type: nil))
        XCTAssertEqual(try follow().end().error?.code, .status)
        XCTAssertEqual(server.requestCount, 19, "nothing is asked again")
    }

    func testTwoContentTypeFieldsAreReadAsOneList() throws {
        for (types, isStream) in [
            (["text/plain", "text/event-stream"], true), (["text/event-stream", "text/plain"], false),
            (["text/event-stream", "text/event-stream"], true),
        ] {
            var response = ScriptedResponse.events("data: a\n\n", type: nil)
            for type in types { response.headers.append(HTTPField(name: .contentType, value: type)) }
            server.enqueue(response)
            if isStream { server.enqueue(.noMore) }
            XCTAssertEqual(try follow().end().data, isStream ? ["a"] : [], "\(types)")
        }
    }

    func testOtherStatusesEndAStreamPermanently() throws {
        for status in [
            201, 202, 205, 206, 210, 299, 300, 304, 305, 400, 401, 403, 404, 408, 410, 418, 429, 500, 502, 503, 504,
            599,
        ] {
            var response = ScriptedResponse.events("data: a\n\n")
            response.status = HTTPResponse.Status(code: status)
            server.enqueue(response)
            let log = try follow().end()
            XCTAssertEqual(log.error?.code, .status, "\(status)")
            XCTAssertEqual(log.error?.response?.status.code, status)
            XCTAssertEqual(log.openings, 0)
        }
        XCTAssertEqual(server.requestCount, 22, "nothing is asked again")
    }

    func testAStatusOfALaterResponseEndsTheStreamPermanently() throws {
        server.enqueue(.events("data: a\n\n"), ScriptedResponse(status: .serviceUnavailable))
        let log = try follow().end()
        XCTAssertEqual(log.data, ["a"])
        XCTAssertEqual(log.error?.code, .status)
    }

    func testNoContentCompletesTheStreamAtOnceAndLater() throws {
        server.enqueue(.noMore, .events("data: a\n\n"), .noMore)
        var log = try follow().end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.openings, 0)
        log = try follow().end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.data, ["a"])
        XCTAssertEqual(server.requestCount, 3)
    }

    func testAnInterimResponseIsIgnored() throws {
        server.enqueue(.events("data: a\n\n").preceded(by: .init(code: 103, reasonPhrase: "Early Hints")), .noMore)
        XCTAssertEqual(try follow().end().data, ["a"])
    }
}
