import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class VerbTests: StubbedTestCase {
    private func send(_ make: (HTTPClient) -> Single<Response>) -> (any Error)? {
        let ending = Locked<(any Error)?>(nil)
        let subscription = make(HTTPClient(transport: transport, scheduler: scheduler)).subscribe { result in
            if case .failure(let error) = result { ending.withLock { $0 = error } }
        }
        scheduler.start()
        subscription.dispose()
        return ending.withLock { $0 }
    }

    func testEachVerbSendsItsMethodQueryHeadersAndBody() {
        transport.route { _ in ScriptedResponse() }
        let url = "http://a/p?x=1"
        let query: KeyValuePairs = ["q": "a b"]
        for make: (HTTPClient) -> Single<Response> in [
            { $0.get(url, query: query, headers: [.accept: "t"]) },
            { $0.head(url, query: query, headers: [.accept: "t"]) },
            { $0.options(url, query: query, headers: [.accept: "t"]) },
            { $0.post(url, query: query, headers: [.accept: "t"], body: .text("b")) },
            { $0.put(url, query: query, headers: [.accept: "t"], body: .text("b")) },
            { $0.patch(url, query: query, headers: [.accept: "t"], body: .text("b")) },
            { $0.delete(url, query: query, headers: [.accept: "t"]) },
            { $0.delete(url, query: query, headers: [.accept: "t"], body: .text("b")) },
        ] {
            XCTAssertNil(send(make))
        }
        XCTAssertEqual(
            transport.requests.map(\.method), [.get, .head, .options, .post, .put, .patch, .delete, .delete])
        XCTAssertEqual(Set(transport.requests.map(\.target)), ["/p?x=1&q=a%20b"])
        XCTAssertEqual(Set(transport.requests.map { $0.headers[.accept] }), ["t"])
        XCTAssertEqual(transport.requests.map { $0.body.count }, [0, 0, 0, 1, 1, 1, 0, 1])
    }

    func testNamesOfHeaderFieldsCanBeStrings() {
        transport.route { _ in ScriptedResponse() }
        let key = "s3cret"
        for make: (HTTPClient) -> Single<Response> in [
            { $0.get("http://a/", headers: ["X-Api-Key": key]) }, { $0.head("http://a/", headers: ["X-Api-Key": key]) },
            { $0.options("http://a/", headers: ["X-Api-Key": key]) },
            { $0.post("http://a/", headers: ["X-Api-Key": key], body: .empty) },
            { $0.put("http://a/", headers: ["X-Api-Key": key], body: .empty) },
            { $0.patch("http://a/", headers: ["X-Api-Key": key], body: .empty) },
            { $0.delete("http://a/", headers: ["X-Api-Key": key]) }, { $0.get("http://a/", headers: [:]) },
        ] {
            XCTAssertNil(send(make))
        }
        let name = HTTPField.Name("X-Api-Key")!
        XCTAssertEqual(transport.requests.map { $0.headers[name] }, [String?](repeating: key, count: 7) + [nil])
    }

    func testEachVerbAcceptsNoBodyOrAnEncodableValue() {
        transport.route { _ in ScriptedResponse() }
        XCTAssertNil(send { $0.post("http://a/") })
        XCTAssertNil(send { $0.delete("http://a/", json: [1]) })
        XCTAssertNil(send { $0.put("http://a/", headers: ["X-Api-Key": "k"], json: [1]) })
        XCTAssertNil(send { $0.send(.init("REPORT")!, "http://a/", headers: ["Depth": "1"], json: [1]) })
        XCTAssertEqual(transport.requests.map(\.text), ["", "[1]", "[1]", "[1]"])
        XCTAssertEqual(
            transport.requests.map { $0.headers[.contentType] },
            [nil, "application/json", "application/json", "application/json"])
    }

    func testARequestAcceptsFieldNamesAsStrings() throws {
        let request = try Request(.post, "http://a/", headers: ["X-Api-Key": "k"], body: .text("b"))
        XCTAssertEqual(request.headers[.init("X-Api-Key")!], "k")
        XCTAssertThrowsError(try Request(.get, "http://a/", headers: ["X Api": "k"]))
    }

    func testFieldsOfADictionaryAreInTheOrderOfTheirNames() throws {
        let fields = Dictionary(uniqueKeysWithValues: "edcba".map { ("X-\($0)", "\($0)") })
        XCTAssertEqual(try HTTPFields(dictionary: fields).map(\.value), ["a", "b", "c", "d", "e"])
        for forbidden in [["X Api": "s3cret"], ["X-A": "s3cret\r\nB: c"]] {
            XCTAssertThrowsError(try HTTPFields(dictionary: forbidden)) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
                XCTAssertFalse("\(error)".contains("s3cret"))
            }
        }
    }

    func testNamesOfADictionaryThatDifferInTheirCaseAreOneField() throws {
        let fields = try HTTPFields(dictionary: ["x-a": "1", "X-A": "2", "X-a": "3"])
        XCTAssertEqual(fields.map { "\($0.name.rawName): \($0.value)" }, ["x-a: 1"], "the last name in order")
    }

    func testAFieldIsReadSetAndRemovedByALiteral() {
        var headers: HTTPFields = [.accept: "a"]
        headers["X-Client"] = "trial"
        XCTAssertEqual(headers["x-client"], "trial")
        XCTAssertEqual(headers["Accept"], "a")
        headers["X-Client"] = nil
        XCTAssertEqual(headers, [.accept: "a"])
    }

    func testAForbiddenFieldFailsTheStreamWithoutNamingItsValue() {
        for make: (HTTPClient) -> Single<Response> in [
            { $0.get("http://a/", headers: ["X Api": "s3cret"]) },
            { $0.get("http://a/", headers: ["X-A": "s3cret\r\nB: c"]) },
        ] {
            let error = send(make) as? HTTPClientError
            XCTAssertEqual(error?.code, .invalidRequest)
            XCTAssertFalse("\(String(describing: error))".contains("s3cret"))
        }
        XCTAssertEqual(transport.requests.count, 0)
    }
}
