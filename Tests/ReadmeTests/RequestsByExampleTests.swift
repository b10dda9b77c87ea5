import Freshet
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class RequestsByExampleTests: ResourceTestCase {
    private typealias Item = RequestsByExample.Item

    func testEachExampleSendsTheDescribedRequest() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        let api = String(server.url.dropLast(server.url.hasSuffix("/") ? 1 : 0))
        let example = RequestsByExample(client: runtime.client, api: api)
        let tide = Item(id: 7, name: "tide")

        server.enqueue(ScriptedResponse(body: #"[{"id": 7, "name": "tide"}]"#))
        let items = try await example.list().value
        XCTAssertEqual(items, [tide])
        server.enqueue(ScriptedResponse(status: .created, body: #"{"id": 7, "name": "tide"}"#))
        let created = try await example.create(tide).value
        XCTAssertEqual(created, tide)
        server.enqueue(ScriptedResponse(status: .notFound))
        let exists = try await example.exists(8).value
        XCTAssertFalse(exists)
        server.route { _ in ScriptedResponse(body: "content") }
        _ = try await example.replace(tide).value
        _ = try await example.remove(7).value
        _ = try await example.inGerman().value
        _ = try await example.subscribe("ada@h").value
        let path = NSTemporaryDirectory() + UUID().uuidString
        try "a picture".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await example.upload(path).value
        for client in [try example.withUser("ada", "p"), try example.withKey("k")] {
            _ = try await client.get(api).value
        }
        var received = 0
        for try await progress in try example.download(to: path, on: runtime).values { received = progress.received }
        XCTAssertEqual(received, 7)
        _ = try await example.search(["q": "tide", "page": "2"], ["X-Trace": "t2"]).value

        let requests = server.requests
        XCTAssertEqual(
            requests.map(\.method), [.get, .post, .head, .put, .delete, .get, .post, .post, .get, .get, .get, .get])
        XCTAssertEqual(requests[0].target, "/items?page=2&q=spring%20tide")
        for request in [requests[1], requests[3]] {
            XCTAssertEqual(try JSONDecoder().decode(Item.self, from: Data(request.text.utf8)), tide)
        }
        XCTAssertEqual(requests[5].headers[.init("X-Trace")!], "t1")
        XCTAssertEqual(requests[6].text, "email=ada%40h&weekly=yes")
        XCTAssertTrue(requests[7].text.contains("a picture"))
        XCTAssertEqual(requests[8].headers[.authorization], "Basic YWRhOnA=")
        XCTAssertEqual(requests[9].headers[.init("X-Api-Key")!], "k")
        XCTAssertEqual(requests[11].target, "/items?page=2&q=tide")
        XCTAssertEqual(requests[11].headers[.init("X-Trace")!], "t2")
        server.close()
        runtime.shutdown()
    }

    func testAnItemIsEmittedAgainOnlyWhenItHasChanged() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let server = StubTransport(scheduler: scheduler)
        for (name, tag) in [("a", "1"), ("", "1"), ("b", "2"), ("b", "2")] {
            server.enqueue(
                name.isEmpty
                    ? ScriptedResponse(status: .notModified)
                    : ScriptedResponse(headers: [.eTag: tag], body: #"{"id": 7, "name": "\#(name)"}"#))
        }
        let client = HTTPClient(transport: server, scheduler: scheduler)
        let example = RequestsByExample(client: client, api: "https://api.example")
        let names = Locked<[String]>([])
        let changes = example.changes(of: 7, on: scheduler)
            .subscribe(onNext: { item in names.withLock { $0.append(item.name) } })
        scheduler.advanceTo(13)
        changes.dispose()
        XCTAssertEqual(names.withLock { $0 }, ["a", "b"])
        // Another subscriber gets the item at first, too.
        let again = example.changes(of: 7, on: scheduler)
            .subscribe(onNext: { item in names.withLock { $0.append(item.name) } })
        scheduler.advanceBy(3)
        again.dispose()
        XCTAssertEqual(names.withLock { $0 }, ["a", "b", "b"])
        XCTAssertEqual(server.requests.map { $0.headers[.ifNoneMatch] }, [nil, "1", "1", nil])
    }

    func testAListIsReadPageByPageUpToTheItemsThatAreWanted() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        let example = RequestsByExample(client: runtime.client, api: server.url)
        for next in [#""/items?page=2""#, #""?page=3""#, "null"] {
            server.enqueue(ScriptedResponse(body: #"{"items": [{"id": 1, "name": "a"}], "next": \#(next)}"#))
        }
        let all = try await example.all().toArray().value
        XCTAssertEqual(all.count, 3)
        server.enqueue(ScriptedResponse(body: #"{"items": [{"id": 1, "name": "a"}], "next": "?page=2"}"#))
        let one = try await example.all().take(1).toArray().value
        XCTAssertEqual(one.count, 1)
        XCTAssertEqual(server.requests.dropFirst().prefix(2).map { $0.target.suffix(7) }, ["?page=2", "?page=3"])
        server.close()
        runtime.shutdown()
    }
}
