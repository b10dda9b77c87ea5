import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the request for an event stream. Source: the WHATWG HTML standard, sections 9.2.2 and 9.2.3, and the Fetch standard's
/// handling of the cache mode "no-store".
final class EventStreamRequestTests: EventStreamTestCase {
    func testARequestIsAnUncachedGETThatAcceptsEvents() throws {
        server.enqueue(.events("data: a\n\n"), .noMore)
        try follow().end()
        for request in server.requests {
            XCTAssertEqual(request.method, .get)
            XCTAssertEqual(request.headers[.accept], "text/event-stream")
            XCTAssertEqual(request.headers[.cacheControl], "no-cache")
            XCTAssertEqual(request.headers[.pragma], "no-cache")
            XCTAssertNil(request.headers[.lastEventID])
            XCTAssertEqual(request.body, [])
        }
        XCTAssertEqual(server.requestCount, 2)
    }

    func testFieldsOfTheCallerReplaceTheDefaults() throws {
        server.enqueue(.events(), .noMore)
        try follow(
            Request(
                .get, server.url,
                headers: [.accept: "text/event-stream, */*", .cacheControl: "max-age=1", .pragma: "x"])
        ).end()
        for request in server.requests {
            XCTAssertEqual(request.headers[.accept], "text/event-stream, */*")
            XCTAssertEqual(request.headers[.cacheControl], "max-age=1")
            XCTAssertEqual(request.headers[.pragma], "x")
        }
    }

    func testFieldsMethodsAndBodiesOfTheCallerAreSentEachTime() throws {
        for method in ["POST", "REPORT", "PUT", "QUERY"] {
            server.enqueue(.events("data: a\n\n"), .events("data: b\n\n").reset(after: 9), .close, .noMore)
            let request = try Request(
                HTTPRequest.Method(method)!, server.url,
                headers: [.contentType: "application/json; charset=utf-8", .init("X-One")!: "1", .init("X-Two")!: "2"],
                body: .text(#"{"hello": "world"}"#))
            let log = try follow(request).end()
            XCTAssertNil(log.error)
            XCTAssertEqual(log.data, ["a", "b"])
            for request in server.requests.suffix(4) {
                XCTAssertEqual(request.method.rawValue, method)
                XCTAssertEqual(request.headers[.contentType], "application/json; charset=utf-8")
                XCTAssertEqual(request.headers[.init("X-One")!], "1")
                XCTAssertEqual(request.headers[.init("X-Two")!], "2")
                XCTAssertEqual(request.text, #"{"hello": "world"}"#)
            }
        }
        XCTAssertEqual(server.requestCount, 16)
    }

    func testAnInitialIDIsSentWithTheFirstRequest() throws {
        server.enqueue(.events("data: a\n\n"), .events("id: b\ndata: b\n\n"), .noMore)
        let log = try follow(after: "abc").end()
        XCTAssertEqual(lastEventIDs, ["abc", "abc", "b"])
        XCTAssertEqual(log.events.map(\.id), ["abc", "b"])
    }

    func testIDsOfAnyTextAreSentAsTheirBytes() throws {
        for (id, sent) in [
            ("…", "…"), ("ünï\u{1F600}", "ünï\u{1F600}"), ("日本", "日本"), ("a b,c;\"d\"", "a b,c;\"d\""),
            (String(repeating: "é", count: 3000), String(repeating: "é", count: 3000)),
            // A receiver removes the spaces around a value.
            (" a ", "a"), ("\ta\t", "a"),
            // A field should not contain these characters, but the standard of event streams allows them in an ID.
            ("a\u{1}b", "a\u{1}b"), ("\u{7F}", "\u{7F}"),
        ] {
            server.enqueue(.events("id: \(id)\ndata: a\n\n"), .noMore)
            let log = try follow().end()
            XCTAssertEqual(log.events.first?.id, id)
            XCTAssertEqual(server.requests.last.flatMap { lastEventID(of: $0) }, Array(sent.utf8))
        }
    }

    func testAnIDOfSpacesIsNotSent() throws {
        for id in [" ", "\t \t"] {
            server.enqueue(.events("id: \(id)\ndata: a\n\n"), .noMore)
            let log = try follow().end()
            XCTAssertEqual(log.events.first?.id, id)
            XCTAssertNil(server.requests.last?.headers[.lastEventID])
        }
    }

    func testCookiesAreSentWhereTheClientHasAJar() throws {
        var response = ScriptedResponse.events("data: a\n\n")
        response.headers[.setCookie] = "session=1; HttpOnly"
        server.enqueue(response, .noMore)
        try follow(by: client(CookieJar())).end()
        XCTAssertEqual(server.requests.map { $0.headers[.cookie] }, [nil, "session=1"])
        server.enqueue(response, .noMore)
        try follow().end()
        XCTAssertEqual(server.requests.suffix(2).map { $0.headers[.cookie] }, [nil, nil])
    }
}
