import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class HTTPRecordingTests: RecordingTestCase {
    private func document() throws -> [[String: Any]] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let object = try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try XCTUnwrap(object["log"] as? [String: Any])
        XCTAssertEqual(log["version"] as? String, "1.2")
        return try XCTUnwrap(log["entries"] as? [[String: Any]])
    }

    func testEachAttemptAndRedirectIsAnEntryWithTheMembersThatHARRequires() throws {
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/b"]),
            ScriptedResponse(headers: [.contentType: "text/plain"], body: "body"),
            .failure(.connectionLost, in: .waiting))
        XCTAssertEqual(try document().count, 0, "the file is readable from the beginning")
        XCTAssertEqual(try bench.get("/a?x=1"), "200 body")
        XCTAssertEqual(try bench.get("/c"), "connection_lost")
        let entries = try document()
        XCTAssertEqual(entries.count, 3)
        for entry in entries {
            XCTAssertEqual(
                Set(entry.keys).subtracting(["_chunks"]),
                ["startedDateTime", "time", "request", "response", "cache", "timings"])
            let request = try XCTUnwrap(entry["request"] as? [String: Any])
            for name in [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ] {
                XCTAssertNotNil(request[name], name)
            }
            let response = try XCTUnwrap(entry["response"] as? [String: Any])
            for name in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ] { XCTAssertNotNil(response[name], name) }
            let timings = try XCTUnwrap(entry["timings"] as? [String: Double])
            for name in ["send", "wait", "receive"] { XCTAssertGreaterThanOrEqual(timings[name] ?? -1, 0) }
        }
        XCTAssertEqual(entries[0]["startedDateTime"] as? String, "1994-11-06T08:49:37.000000Z")
        XCTAssertEqual((entries[2]["response"] as? [String: Any])?["_error"] as? String, "connection_lost")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        XCTAssertEqual(mode, 0o600)
    }

    /// vcr/vcr#704, betamaxpy/betamax PR#172, cline/cline PR#9797: recordings contained secrets.
    func testTheFileContainsNoSecret() throws {
        let bench = try RecordingBench(path, .record)
        var headers: HTTPFields = [
            .authorization: "Bearer s3cret-token-1", .cookie: "sid=s3cret-cookie-2", .contentType: "application/json",
        ]
        headers[HTTPField.Name("X-Api-Key")!] = "s3cret-key-3"
        headers[HTTPField.Name("X-Vault-Token")!] = "s3cret-key-14"
        bench.server.enqueue(
            ScriptedResponse(
                headers: [.setCookie: "sid=s3cret-cookie-4; Path=/", .location: "https://x/?code=s3cret-code-5"],
                body: #"{"access_token":"s3cret-token-6","echo":"s3cret-token-1","n":[{"client_secret":"s3cret-7"}]}"#),
            .json(#"{"access_token":"s3cret-8","custom":"s3cret-9"}"#))
        _ = bench.send(
            try Request(
                .post,
                "https://api.example/a?api_key=s3cret-10&X-Amz-Signature=s3cret-15&auth=s3cret-16&q=s3cret-token-1",
                headers: headers,
                body: .bytes(Array(#"{"password":"s3cret-11","x":"s3cret-cookie-2"}"#.utf8))))
        _ = bench.send(
            try Request(
                .post, "https://id.example/token",
                body: .form([("grant_type", "refresh_token"), ("refresh_token", "s3cret-12"), ("odd", "s3cret-13")])))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertEqual(text.matches(of: #/s3cret[-a-z0-9]*/#).map { String($0.output) }, [])
        XCTAssertEqual(try document().count, 2)
    }

    func testAFormWithFilesIsMaskedAndReplayedWithoutItsBoundary() throws {
        func upload(_ note: String) throws -> Request {
            var form = MultipartForm()
            form.append("password", "s3cret-21")
            form.append("access_token", "s3c")
            form.append("note", note)
            return try Request(.post, "https://api.example/a", body: .multipart(form))
        }
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(body: "echo of s3cret-21"))
        _ = bench.send(try upload("hello"))
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("s3c"))
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(replay.text(try upload("hello")), "200 echo of REDACTED")
        XCTAssertEqual(replay.text(try upload("other")), "not_recorded")
    }

    func testTheCaseOfAMediaTypeDoesNotMatterForMasking() throws {
        var form = MultipartForm()
        form.append("access_token", "s3c")
        let request = try Request(
            .post, "https://api.example/a", headers: [.contentType: "Multipart/Form-Data"], body: .multipart(form))
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(body: "stored"))
        _ = bench.send(request)
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("s3c"))
        XCTAssertEqual(try RecordingBench(path, .replay).text(request), "200 stored")
    }

    func testTheSecretsBesideABinaryFileAreMasked() throws {
        var form = MultipartForm()
        form.append("photo", bytes: [0xFF, 0xD8, 0x0D, 0x0A, 0x0D, 0x0A], filename: "a.jpg", contentType: "image/jpeg")
        form.append("password", "s3cret\r\nin two lines")
        form.append("secret", "")
        form.append("note", "hello")
        let request = try Request(.post, "https://api.example/a", body: .multipart(form))
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(body: "stored"))
        _ = bench.send(request)
        let file = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertFalse(file.contains("s3cret") || file.contains("two lines"), file)
        XCTAssertTrue(file.contains("hello"), file)
        XCTAssertEqual(try RecordingBench(path, .replay).text(request), "200 stored")
    }

    func testAReplayReturnsTheResponsesOfEqualRequestsInOrderAndSendsNothing() throws {
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(body: "1"), ScriptedResponse(body: "2"), ScriptedResponse(body: "b"))
        for path in ["/a?token=one-secret", "/a?token=one-secret", "/b"] { _ = try bench.get(path) }
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try replay.get("/a?token=another-secret"), "200 1")
        XCTAssertEqual(try replay.get("/b"), "200 b")
        XCTAssertEqual(try replay.get("/a?token=another-secret"), "200 2")
        XCTAssertEqual(try replay.get("/a?token=another-secret"), "200 2", "the last one is repeated")
        XCTAssertEqual(replay.server.requestCount, 0)
    }

    /// An encoder writes the members of an object in another order in each process.
    func testAReplayComparesJSONByItsValue() throws {
        func post(_ bench: RecordingBench, _ body: String) throws -> String {
            let request = try Request(
                .post, "https://api.example/a", headers: [.contentType: "application/json"],
                body: .bytes(Array(body.utf8)))
            guard case .success(let response)? = bench.send(request) else { return "nothing" }
            return response.text
        }
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(body: "1"), ScriptedResponse(body: "2"))
        XCTAssertEqual(try post(bench, #"{"a":1,"b":[2,3]}"#), "1")
        XCTAssertEqual(try post(bench, #"{"a":1,"b":[3,2]}"#), "2")
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try post(replay, #"{"b": [3, 2], "a": 1}"#), "2")
        XCTAssertEqual(try post(replay, #"{"b": [2, 3], "a": 1}"#), "1")
    }

    /// kevin1024/vcrpy#929: the error said only "0 different matchers".
    func testAnUnrecordedRequestIsAnErrorThatNamesTheNearestEntry() throws {
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(), ScriptedResponse())
        _ = try bench.get("/items?page=1")
        _ = try bench.get("/other")
        let replay = try RecordingBench(path, .replay)
        guard
            case .failure(let error as HTTPClientError)? = replay.send(
                try Request(.get, "https://api.example/items?page=2"))
        else { return XCTFail("it was found") }
        XCTAssertEqual(error.code, .notRecorded)
        XCTAssertTrue(error.message.contains("GET https://api.example/items"), error.message)
        XCTAssertTrue(error.message.contains("differs in query"), error.message)
        XCTAssertEqual(replay.server.requestCount, 0)
    }

    func testAnUnrecordedRequestCanBeRecorded() throws {
        let bench = try RecordingBench(path, .replayOrRecord)
        bench.server.enqueue(ScriptedResponse(body: "1"), ScriptedResponse(body: "2"))
        XCTAssertEqual(try bench.get("/a"), "200 1")
        let second = try RecordingBench(path, .replayOrRecord)
        second.server.enqueue(ScriptedResponse(body: "b"))
        XCTAssertEqual(try second.get("/a"), "200 1")
        XCTAssertEqual(try second.get("/b"), "200 b")
        XCTAssertEqual(second.server.requestCount, 1)
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try replay.get("/b"), "200 b")
        XCTAssertEqual(try replay.get("/a"), "200 1")
    }

    func testARequestForATokenIsSentAgainAlthoughItIsRecorded() throws {
        var request = try Request(.post, "https://api.example/device")
        request.tags[PlacedSecrets.self] = PlacedSecrets(names: [], needsNewResponse: true)
        for code in ["1", "2"] {
            let bench = try RecordingBench(path, .replayOrRecord)
            bench.server.enqueue(ScriptedResponse(body: code))
            XCTAssertEqual(try bench.send(request)?.get().text, code)
        }
    }

    /// CopilotKit/aimock PR#125: the replay sent eleven pieces within 35 µs.
    func testAReplayedStreamKeepsItsPausesAlsoWithASecretInOnePiece() throws {
        let bench = try RecordingBench(path, .record)
        let texts = ["p0", #"{"token":"s3cret-12"}"#, "p2"]
        let pieces = Observable<Int>.interval(.seconds(1), scheduler: bench.scheduler).take(3).map {
            Array(texts[$0].utf8)
        }
        bench.server.enqueue(.streaming(pieces, headers: [.contentType: "text/event-stream"]))
        XCTAssertEqual(try bench.get("/a"), "200 " + texts.joined())
        for (speed, expected) in [(1.0, [1.0, 2, 3]), (2, [0.5, 1, 1.5]), (0, [0, 0, 0])] {
            let replay = try RecordingBench(path, .replay, speed: speed)
            let clock = replay.scheduler
            let times = Locked<[Double]>([])
            let subscription = replay.client.events(try Request(.get, "https://api.example/a")).subscribe(onNext: {
                event in
                if case .body = event { times.withLock { $0.append(clock.now.sinceStart / .seconds(1)) } }
            })
            replay.scheduler.advanceBy(10_000)
            subscription.dispose()
            XCTAssertEqual(times.withLock { $0 }.count, 3)
            for (time, wanted) in zip(times.withLock { $0 }, expected) { XCTAssertEqual(time, wanted, accuracy: 0.1) }
        }
    }

    func testARecordingOfABrowserIsReplayed() throws {
        let entry = #"""
            {"startedDateTime":"2026-11-20T09:00:00.000Z","time":3.5,"_initiator":{"type":"other"},
             "request":{"method":"GET","url":"https://api.example/a?key=abcdefghij","httpVersion":"http/2.0","headers":[],
              "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},
             "response":{"status":200,"statusText":"","httpVersion":"http/2.0","headers":[],"cookies":[],
              "content":{"size":2,"mimeType":"text/plain","text":"hi"},"redirectURL":"","headersSize":-1,"bodySize":2,
              "_transferSize":99,"_error":null},
             "cache":{},"timings":{"blocked":1,"dns":-1,"ssl":-1,"connect":-1,"send":0.1,"wait":2,"receive":0.4}}
            """#
        let creator = #"{"name":"WebInspector","version":"537.36"}"#
        let document = #"{"log":{"version":"1.2","creator":\#(creator),"pages":[],"entries":[\#(entry)]}}"#
        try document.write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertEqual(try RecordingBench(path, .replay).get("/a?key=abcdefghij"), "200 hi")
        let interim = #""_error":null,"_interim":[{"status":1000,"statusText":"","headers":[]}]"#
        for (old, new) in [(#""status":200"#, #""status":1000"#), (#""_error":null"#, interim)] {
            try document.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
            XCTAssertThrowsError(try RecordingBench(path, .replay)) {
                XCTAssertEqual(($0 as? HTTPClientError)?.code, .store)
            }
        }
        try document.replacing(#""cache":{}"#, with: #""_chunks":[[1e300,1]],"cache":{}"#)
            .write(toFile: path, atomically: true, encoding: .utf8)
        // It waits, and is no trap.
        _ = try RecordingBench(path, .replay).get("/a?key=abcdefghij")
    }

    func testAFileThatIsNotARecordingIsAnError() throws {
        XCTAssertThrowsError(try RecordingBench(path, .replay)) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .store)
        }
        try "{}".write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertThrowsError(try RecordingBench(path, .replay)) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .store)
        }
        XCTAssertThrowsError(try RecordingBench("/dev/null/x.har", .record)) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .store)
        }
    }

    func testABodyThatIsNotTextIsKept() throws {
        let bench = try RecordingBench(path, .record)
        bench.server.enqueue(ScriptedResponse(pieces: [[0xFF, 0xFE, 0]]))
        _ = try bench.get("/a")
        let replay = try RecordingBench(path, .replay)
        guard case .success(let response)? = replay.send(try Request(.get, "https://api.example/a")) else {
            return XCTFail("no response")
        }
        XCTAssertEqual(response.body, [0xFF, 0xFE, 0])
    }
}
