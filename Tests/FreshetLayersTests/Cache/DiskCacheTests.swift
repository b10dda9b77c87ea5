import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class DiskCacheTests: DiskCacheTestCase {
    private func files(_ suffix: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }
            .map { "\(folder)/\($0)" }
            .filter {
                (try? FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType) == .typeRegular
            }
    }

    func testAnotherProcessUsesAStoredResponse() throws {
        let first = try bench()
        first.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#, "X: x", body: "body")
        try first.send()
        let second = try bench()
        second.pass(5)
        let hit = try second.send()
        XCTAssertEqual(hit.from, "hit 5")
        XCTAssertEqual(hit.body, "body")
        XCTAssertEqual(hit.headers[HTTPField.Name("X")!], "x")
        XCTAssertEqual(second.requestCount, 0)
        first.script(.ok)
        try first.send(.delete)
        second.script(.ok)
        XCTAssertEqual(try second.send().from, "miss", "the other one has removed it")
    }

    func testFilesAreReadableByTheirOwnerOnlyAndContainNoSecret() throws {
        let bench = try bench()
        bench.logIn("s3cret-token", id: "login")
        bench.script(
            .ok, "Cache-Control: max-age=100", "Vary: Cookie, X-Missing", "Set-Cookie: sid=s3cret-sid",
            "Content-Location: /a?q=s3cret-query", body: "s3cret-token")
        bench.script(.ok, "Cache-Control: max-age=100", body: "2")
        let cookie: HTTPFields = [.cookie: "a=s3cret-cookie"]
        try bench.send(.get, "/a?q=s3cret-query", cookie)
        let hit = try bench.send(.get, "/a?q=s3cret-query", cookie)
        XCTAssertEqual(hit.from, "hit 0")
        XCTAssertEqual(hit.headers[.setCookie], "sid=s3cret-sid")
        XCTAssertEqual(try bench.send(.get, "/a?q=s3cret-query", [.cookie: "a=other"]).body, "2")
        for file in try files() {
            XCTAssertEqual(
                try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int, 0o600, file)
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
            XCTAssertFalse((file + text).contains("s3cret"), file)
        }
        XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int, 0o700)
    }

    func testADamagedResponseCausesAMiss() throws {
        for (suffix, damages) in [(".head", ["", "x"]), (".body", ["", "x"]), ("key", ["x"])] {
            for damage in damages {
                let first = try bench()
                first.script(.ok, "Cache-Control: max-age=100", body: String(repeating: "b", count: 100_000))
                try first.send()
                for file in try files(suffix) {
                    var data = try Data(contentsOf: URL(fileURLWithPath: file))
                    if damage.isEmpty { data = data.prefix(data.count / 2) } else { data[data.count / 2] ^= 1 }
                    try data.write(to: URL(fileURLWithPath: file))
                }
                let second = try bench()
                second.script(.ok, "Cache-Control: max-age=100", body: "new")
                XCTAssertEqual(try second.send().body, "new", suffix)
                XCTAssertEqual(try second.send().from?.prefix(3), "hit", suffix)
                try FileManager.default.removeItem(atPath: folder)
            }
        }
    }

    /// A process that is killed while it writes leaves such files.
    func testFilesOfAKilledProcessAreHarmlessAndRemoved() throws {
        let first = try bench()
        first.script(.ok, "Cache-Control: max-age=100000")
        try first.send()
        let head = try XCTUnwrap(files(".head").first)
        let directory = (head as NSString).deletingLastPathComponent
        for file in ["\(folder)/new/aB-_45678901234x", "\(directory)/orphan.body"] {
            try "half".write(toFile: file, atomically: false, encoding: .utf8)
        }
        XCTAssertEqual(try first.send().from, "hit 0")
        try FileManager.default.removeItem(atPath: try XCTUnwrap(files(".body").first { !$0.contains("orphan") }))
        first.script(.ok, "Cache-Control: max-age=100000", body: "2")
        XCTAssertEqual(try first.send().body, "2")
        // The wall clock of the bench is in 1994, and the files have today's dates.
        let folder = try CacheFolder(folder)
        folder.shrink(to: 1 << 20, at: Date().timeIntervalSince1970 + 7200)
        XCTAssertEqual(try files().filter { $0.contains("orphan") || $0.contains("/new/") }, [])
        XCTAssertEqual(try first.send().body, "2")
    }

    /// Opening a pipe for reading waited for a writer.
    func testAPipeInPlaceOfAFileCausesAMiss() throws {
        let bench = try bench()
        bench.script(.ok, "Cache-Control: max-age=100", body: "1")
        try bench.send()
        for suffix in [".head", ".body"] {
            let file = try XCTUnwrap(files(suffix).first)
            try FileManager.default.removeItem(atPath: file)
            XCTAssertEqual(mkfifo(file, 0o600), 0)
            bench.script(.ok, "Cache-Control: max-age=100", body: "new")
            XCTAssertEqual(try bench.send().body, "new", suffix)
        }
    }

    func testExchangedPiecesOfBodiesCauseAMiss() throws {
        let body =
            String(repeating: "1", count: SealedBody.pieceSize) + String(repeating: "2", count: SealedBody.pieceSize)
        let damages: [(Data) -> Data] = [
            { $0.suffix($0.count / 2) + $0.prefix($0.count / 2) }, { $0.prefix($0.count / 2) }, { $0 + $0 },
        ]
        for damage in damages {
            let bench = try bench()
            bench.script(.ok, "Cache-Control: max-age=100", body: body)
            try bench.send()
            XCTAssertEqual(try bench.send().body, body)
            let file = URL(fileURLWithPath: try XCTUnwrap(files(".body").first))
            try damage(Data(contentsOf: file)).write(to: file)
            bench.script(.ok, body: "new")
            XCTAssertEqual(try bench.send().body, "new")
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    func testAResponseThatEndsLateDoesNotReplaceANewerOne() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let store = try DiskCacheStore(at: folder, scheduler: scheduler)
        let key = CacheKey(url: try RequestURL("http://a.example/a"), owner: .nobody)
        let writers = [1.0, 2].map { time in
            store.writer(
                of: CachedResponse(
                    id: "", head: HTTPResponse(status: .ok), requestTime: time, responseTime: time, selectors: [:],
                    bodyLength: 0), for: key)
        }
        for writer in writers.reversed() {
            writer.finish {}
            scheduler.advanceBy(1)
        }
        let found = Locked<[Double]>([])
        guard case .waiting(let responses) = store.responses(for: key) else { return XCTFail("files are read later") }
        _ = responses.subscribe(onSuccess: { responses in found.withLock { $0 = responses.map(\.responseTime) } })
        scheduler.advanceBy(1)
        XCTAssertEqual(found.withLock { $0.first }, 2)
    }

    func testTheSizeLimitCoversAllProcessesAndUnfinishedFiles() throws {
        let (limit, body) = (1 << 20, [UInt8](repeating: 7, count: 200_000))
        let response = CachedResponse(
            id: "", head: HTTPResponse(status: .ok), requestTime: 0, responseTime: 0, selectors: [:], bodyLength: 0)
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let writers = try (0..<20).map { number in
            let store = try DiskCacheStore(at: folder, maximumSize: limit, scheduler: scheduler)
            let other = try RequestURL("http://a.example/a\(number)")
            let writer = store.writer(of: response, for: CacheKey(url: other, owner: .nobody))
            writer.append(body) {}
            scheduler.advanceBy(1)
            return writer
        }
        func size() throws -> Int {
            try files().reduce(0) { $0 + ((try? Data(contentsOf: URL(fileURLWithPath: $1)).count) ?? 0) }
        }
        XCTAssertLessThan(try size(), limit)
        for writer in writers { writer.finish {} }
        scheduler.advanceBy(1)
        XCTAssertLessThan(try size(), limit)
        XCTAssertGreaterThan(try files(".head").count, 2)
        _ = try DiskCacheStore(at: folder, maximumSize: 1, scheduler: scheduler)
        XCTAssertEqual(try files(".head"), [], "a process with a smaller limit")
    }

    func testTheSizeIsBoundedAndTheOldestResponsesAreEvictedFirst() throws {
        let bench = try bench(maximumSize: 1 << 20)
        for number in 0..<40 {
            bench.script(.ok, "Cache-Control: max-age=100", body: String(repeating: "b", count: 60_000))
            try bench.send(.get, "/\(number)")
            let size = try files().reduce(0) { $0 + ((try? Data(contentsOf: URL(fileURLWithPath: $1)).count) ?? 0) }
            XCTAssertLessThan(size, 1 << 20)
        }
        XCTAssertEqual(try bench.send(.get, "/39").from?.prefix(3), "hit")
        bench.script(.ok, "Cache-Control: max-age=100", body: String(repeating: "b", count: 400_000))
        try bench.send(.get, "/large")
        bench.script(.ok)
        XCTAssertEqual(try bench.send(.get, "/large").from, "miss", "more than a quarter of all is not stored")
    }

    func testAValidationIsWrittenToDisk() throws {
        let first = try bench()
        first.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
        first.script(.notModified, "Cache-Control: max-age=100")
        try first.send()
        first.pass(10)
        try first.send()
        let second = try bench()
        second.pass(50)
        XCTAssertEqual(try second.send().from?.prefix(3), "hit")
    }

    func testAFolderThatCannotBeUsedIsAnErrorBeforeTheFirstRequest() throws {
        try "file".write(toFile: folder, atomically: true, encoding: .utf8)
        XCTAssertThrowsError(try bench()) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .store)
        }
    }

    func testALargeBodyIsStreamedAndCanBePaused() throws {
        let bench = try bench(maximumSize: 64 << 20)
        bench.server.enqueue(
            .repeating([UInt8](repeating: 7, count: 100_000), times: 100, headers: [.cacheControl: "max-age=100"]))
        let whole = try bench.send()
        XCTAssertEqual(whole.body.utf8.count, 10_000_000)
        let length = Locked(0)
        let request = try Request(.get, "http://a.example/a")
        let subscription = bench.client.events(request).subscribe(onNext: { event in
            if case .body(let bytes) = event { length.withLock { $0 += bytes.count } }
        })
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(length.withLock { $0 }, 0)
        (subscription as? any Pausable)?.resume()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(length.withLock { $0 }, 10_000_000)
        subscription.dispose()
    }

    func testAFolderThatAnotherProcessRemovesIsCreatedAgain() throws {
        let cache = try CacheFolder(folder)
        let directory = cache.folder(of: try RequestURL("http://a.example/"))
        DispatchQueue.concurrentPerform(iterations: 2) { worker in
            for _ in 0..<2000 {
                if worker == 0 {
                    cache.shrink(to: 0, at: WallClock.secondsSince1970())
                    continue
                }
                do {
                    let (_, path) = try cache.newFile()
                    try cache.move(path, to: "ID.body", in: directory)
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        unlink("\(directory)/ID.body")
        cache.shrink(to: 0, at: WallClock.secondsSince1970())
        XCTAssertFalse(FileManager.default.fileExists(atPath: directory))
    }

    func testARemovedFileDoesNotStopTheStore() throws {
        let notes = Locked<[String]>([])
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let store = try DiskCacheStore(
            at: folder, scheduler: scheduler, failed: { note in notes.withLock { $0.append(note) } })
        let key = CacheKey(url: try RequestURL("http://a.example/a"), owner: .nobody)
        let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=100"])
        let response = CachedResponse(
            id: "", head: head, requestTime: 0, responseTime: 0, selectors: [:], bodyLength: 0)
        for isRemoved in [true, false] {
            let writer = store.writer(of: response, for: key)
            writer.append([UInt8](repeating: 1, count: SealedBody.pieceSize)) {}
            scheduler.advanceBy(1)
            if isRemoved { try FileManager.default.removeItem(atPath: folder + "/new") }
            writer.finish {}
            scheduler.advanceBy(1)
            XCTAssertEqual(notes.withLock { $0 }, [])
            XCTAssertEqual(try files(".body").count, isRemoved ? 0 : 1)
        }
    }
}
