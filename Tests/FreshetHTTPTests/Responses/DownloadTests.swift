import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a file appears only as a whole.
final class DownloadTests: DownloadTestCase {
    func testADownloadWritesTheBodyToItsFile() throws {
        transport.enqueue(ScriptedResponse(pieces: [Array("hello, ".utf8), Array("world".utf8)]))
        let log = try download()
        XCTAssertEqual(content(), "hello, world")
        XCTAssertEqual(names, ["file"])
        XCTAssertEqual(log.file?.size, 12)
        XCTAssertEqual(log.file?.path, path)
        XCTAssertEqual(log.file?.head.status, .ok)
        XCTAssertEqual(log.progress, [0, 7, 12].map { DownloadProgress(received: $0, total: 12) })
    }

    func testAnEmptyBodyCreatesAnEmptyFile() throws {
        transport.enqueue(ScriptedResponse())
        XCTAssertEqual(try download().file?.size, 0)
        XCTAssertEqual(content(), "")
    }

    func testAFailedDownloadLeavesNoFileAndReplacesNone() throws {
        put("old")
        for response in [
            ScriptedResponse(body: "hello").truncated(after: 3), .close,
            ScriptedResponse(body: "hello").reset(after: 0),
        ] {
            transport.enqueue(response)
            XCTAssertEqual(try download().error?.code, .connectionLost)
            XCTAssertEqual(names, ["file"])
            XCTAssertEqual(content(), "old")
        }
    }

    /// In a container, each process has the same number.
    func testTheTemporaryFileHasARandomName() throws {
        transport.route { _ in ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(1)) }
        let downloads = try (0..<2).map { _ in startDownload(try Request(.get, "http://a/file")).subscription }
        scheduler.advanceTo(500)
        let names = Set(names)
        XCTAssertEqual(names.count, 2)
        for name in names {
            XCTAssertTrue(name.hasPrefix("file.") && name.hasSuffix(".part"), name)
            XCTAssertFalse(name.hasPrefix("file.\(ProcessInfo.processInfo.processIdentifier)."), name)
        }
        for download in downloads { download.dispose() }
        scheduler.start()
        XCTAssertEqual(self.names, [])
    }

    func testANameThatLeavesNoRoomForTheTemporaryFileIsWritten() throws {
        for name in [String(repeating: "a", count: 242), String(repeating: "a", count: 255)] {
            transport.enqueue(ScriptedResponse(body: "hello"))
            XCTAssertNil(try download(to: "\(folder)/\(name)").error)
            XCTAssertEqual(content(name), "hello")
        }
        let long = String(repeating: "\u{20AC}", count: 85) + "a"
        let error = try download(to: "\(folder)/\(long)").error
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertEqual(error?.recoverySuggestion, "choose a shorter name")
    }

    func testAnUnacceptedStatusWritesNoFile() throws {
        transport.enqueue(ScriptedResponse(status: .notFound, body: "no"))
        let error = try download().error
        XCTAssertEqual(error?.code, .status)
        XCTAssertEqual(error?.response?.status, .notFound)
        XCTAssertEqual(names, [])
        transport.enqueue(ScriptedResponse(status: .notFound, body: "no"))
        XCTAssertNotNil(try download { $0.statusCodes = 100..<600 }.file)
        XCTAssertEqual(content(), "no")
    }

    func testAMonitorReceivesTheEndOfARefusedDownload() throws {
        struct Onlooker: RequestInterceptor {}
        for interceptors in [[], [Onlooker()]] as [[any RequestInterceptor]] {
            transport.enqueue(ScriptedResponse(status: .notFound, body: "no"))
            let events = ClientEvents()
            let client = client(events, interceptors: interceptors)
            let (emitted, downloaded) = (Locked<[String]>([]), Locked<[String]>([]))
            let listening = events.asObservable().subscribe(onNext: { event in
                emitted.withLock { $0.append("\(event.kind)") }
            })
            let subscription = client.download(try Request(.get, "http://a/"), to: path, on: scheduler)
                .subscribe { event in
                    if case .next(.request(.head(let head, _))) = event {
                        downloaded.withLock { $0.append("head \(head.status.code)") }
                    }
                    if case .error(let error) = event { downloaded.withLock { $0.append("\(error)") } }
                }
            scheduler.start()
            XCTAssertEqual(emitted.withLock { $0.last }, "finished")
            let seen = downloaded.withLock { $0 }
            XCTAssertEqual(seen.first, "head 404")
            XCTAssertTrue(seen.last?.contains("404 Not Found, and nothing was written") ?? false, "\(seen)")
            subscription.dispose()
            listening.dispose()
        }
    }

    func testARefusedDownloadContainsTheErrorOfTheServer() throws {
        var configuration = HTTPClient.Configuration()
        configuration.failure = Problem.self
        let client = HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
        let body = #"{"code":"gone","message":"The archive has moved"}"#
        for response in [
            ScriptedResponse.json(body, status: .notFound),
            .json(body, status: .notFound).chunked().reset(after: body.utf8.count),
        ] {
            transport.enqueue(response)
            let log = Locked(DownloadLog())
            _ = client.download(try Request(.get, "http://a/file?key=secret"), to: path, on: scheduler)
                .subscribe { event in log.withLock { $0.record(event) } }
            scheduler.start()
            let error = log.withLock { $0.error }
            XCTAssertEqual(error?.underlying as? Problem, Problem(code: "gone"))
            XCTAssertEqual(error?.response?.text, body)
            XCTAssertEqual(
                error?.description,
                "status: the server responded with 404 Not Found, and nothing was written "
                    + "(receiving the response, GET http://a/file)")
            XCTAssertEqual(names, [])
        }
    }

    func testOnlyTheBeginningOfALargeRefusalIsRead() throws {
        transport.enqueue(
            .streaming(
                Observable.from([[UInt8]](repeating: [UInt8](repeating: 65, count: 50_000), count: 3))
                    .concat(Observable<[UInt8]>.never()),
                status: .forbidden))
        XCTAssertEqual(try download().error?.response?.body.count, 64 * 1024)
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testDisposingRemovesTheUnfinishedFile() throws {
        transport.enqueue(ScriptedResponse(pieces: [Array("hello".utf8), Array("world".utf8)]).pausing(.seconds(10)))
        let subscription = client().download(try Request(.get, "http://a/"), to: path, on: scheduler)
            .subscribe(onNext: { _ in })
        scheduler.advanceTo(5)
        XCTAssertEqual(names.count, 1)
        subscription.dispose()
        scheduler.start()
        XCTAssertEqual(names, [])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testAReplacedFileKeepsItsPermissionsAndItsSymbolicLink() throws {
        put("old", "real")
        chmod(folder + "/real", 0o640)
        symlink("real", path)
        transport.enqueue(ScriptedResponse(body: "new"))
        XCTAssertNotNil(try download().file)
        XCTAssertEqual(content("real"), "new")
        var status = stat()
        XCTAssertEqual(lstat(path, &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFLNK)
        XCTAssertEqual(stat(folder + "/real", &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o640)
    }

    func testALinkToAFileThatDoesNotExistYetIsFollowed() throws {
        mkdir(folder + "/there", 0o700)
        symlink("there/link", path)
        symlink("real", folder + "/there/link")
        transport.enqueue(ScriptedResponse(body: "new"))
        XCTAssertNotNil(try download().file)
        XCTAssertEqual(content("there/real"), "new")
        var status = stat()
        for link in [path, folder + "/there/link"] {
            XCTAssertEqual(lstat(link, &status), 0)
            XCTAssertEqual(status.st_mode & S_IFMT, S_IFLNK)
        }
    }

    func testAFileThatCannotBeWrittenIsAnErrorWithItsReason() throws {
        let missing = try download(to: folder + "/no/file").error
        XCTAssertEqual(missing?.code, .invalidRequest)
        XCTAssertEqual((missing?.underlying as? FileError)?.code, ENOENT)
        XCTAssertEqual(missing?.description.contains("(preparing, GET http://a/file)"), true, "\(missing as Any)")
        XCTAssertEqual(try download(to: folder).error?.code, .invalidRequest)
        XCTAssertEqual(try download(to: path + "\0.png").error?.code, .invalidRequest)
        XCTAssertEqual(names, [])
        XCTAssertEqual(transport.requestCount, 0)
        transport.enqueue(ScriptedResponse(body: "hello"))
        let full = try download(to: "/dev/full").error
        XCTAssertEqual(full?.code, .overloaded)
        XCTAssertEqual(full?.phase, .storing)
        XCTAssertEqual((full?.underlying as? FileError)?.code, ENOSPC)
        XCTAssertTrue(full?.recoverySuggestion?.description.contains("make room") ?? false)
    }

    func testADeviceIsWrittenDirectly() throws {
        transport.enqueue(.repeating([UInt8](repeating: 1, count: 10_000), times: 1000))
        XCTAssertEqual(try download(to: "/dev/null").file?.size, 10_000_000)
    }

    func testPiecesOfManySizesAreWrittenInOrder() throws {
        let pieces = (0..<3000).map { number in
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 700)
        }
        transport.enqueue(ScriptedResponse(pieces: pieces))
        XCTAssertNotNil(try download().file)
        XCTAssertEqual(FileManager.default.contents(atPath: path), Data(pieces.joined()))
    }

    func testASlowDiskPausesTheTransfer() throws {
        let piece = [UInt8](repeating: 7, count: 64 * 1024)
        transport.enqueue(
            ScriptedResponse(pieces: [[UInt8]](repeating: piece, count: 1000)).pausing(.milliseconds(1)))
        let disk = StalledScheduler()
        let (log, subscription) = startDownload(try Request(.get, "http://a/"), on: disk)
        var turns = 0
        // While the disk is slow, only a bounded number of pieces waits.
        while log.withLock({ $0.file == nil }) {
            let before = log.withLock { $0.progress.count }
            disk.runOne()
            scheduler.start()
            XCTAssertLessThan(log.withLock { $0.progress.count } - before, 100)
            turns += 1
            guard turns < 1000 else { return XCTFail("no end") }
        }
        subscription.dispose()
        XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, 1000 * piece.count)
        XCTAssertLessThan(turns, 140)
    }

    /// The rest of a part behind a gap would be at the wrong place in the next download's file.
    func testNothingIsWrittenBehindAWriteThatHasFailed() throws {
        signal(SIGXFSZ, SIG_IGN)
        let pieces = [[UInt8](repeating: 97, count: 600_000), [98], [98]]
        transport.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], pieces: pieces).pausing(.seconds(1)))
        let disk = StalledScheduler()
        let (_, subscription) = startDownload(try Request(.get, "http://a/"), on: disk) { $0.isResumable = true }
        disk.runOne()
        scheduler.advanceTo(500)
        disk.runOne()
        scheduler.advanceTo(2500)
        subscription.dispose()
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        var low = limit
        low.rlim_cur = 100_000
        setrlimit(resource, &low)
        disk.runOne()
        setrlimit(resource, &limit)
        while disk.runOne() {}
        scheduler.start()
        XCTAssertEqual(content("file.part"), String(repeating: "a", count: 100_000))
    }

    func testAProcessWithTooManyOpenFilesIsOverloaded() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        var none = limit
        none.rlim_cur = 0
        put("old")
        let body = RequestBody.file(path)
        setrlimit(resource, &none)
        defer { setrlimit(resource, &limit) }
        let download = try download().error
        XCTAssertEqual(download?.code, .overloaded)
        XCTAssertEqual(download?.recoverySuggestion, "close other files, or raise the limit of open files")
        guard case .source(let source) = body else { return XCTFail() }
        let upload = Locked<HTTPClientError?>(nil)
        source.open().subscribe(onError: { error in upload.withLock { $0 = error as? HTTPClientError } }).dispose()
        XCTAssertEqual(upload.withLock { $0?.code }, .overloaded)
    }

    func testTheEventsOfARequestCanBeSavedToAFile() throws {
        transport.enqueue(ScriptedResponse(status: .notFound, body: "hello"))
        let request = try Request(.get, "http://a/")
        let log = Locked(DownloadLog())
        let subscription = client().events(request).saved(to: path, request: request, on: scheduler)
            .subscribe { event in log.withLock { $0.record(event) } }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(log.withLock { $0.file?.size }, 5)
        XCTAssertEqual(content(), "hello")
    }
}

/// The typed error of an API.
private struct Problem: Decodable, Error, Equatable {
    var code: String
}
