import FreshetCore
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class LinesTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func client(_ response: ScriptedResponse, scheduler: TestScheduler) -> HTTPClient {
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(response)
        return HTTPClient(transport: transport, scheduler: scheduler)
    }

    private func lines(_ pieces: [[UInt8]], type: String = "text/plain", maximum: Int = 1 << 20) throws -> [Event<
        String
    >] {
        let scheduler = TestScheduler(initialClock: 0)
        let client = client(ScriptedResponse(headers: [.contentType: type], pieces: pieces), scheduler: scheduler)
        let observer = scheduler.createObserver(String.self)
        let subscription = client.lines(try Request(.get, "http://a/"), maximumLength: maximum).subscribe(observer)
        scheduler.start()
        subscription.dispose()
        return observer.events.map(\.value)
    }

    private struct Problem: Decodable, Error { var title: String }

    /// The error of the request to a server that responds with `refused`.
    private func failure(_ refused: ScriptedResponse, isLongLived: Bool = false) throws -> HTTPClientError? {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable), refused)
        var configuration = HTTPClient.Configuration()
        configuration.failure = Problem.self
        let client = HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: [RetryPolicy(limit: 1)],
            configuration: configuration)
        var request = try Request(.get, "http://a/b")
        if isLongLived {
            request.transfer = TransferOptions()
            request.transfer?.isLongLived = true
        }
        let observer = scheduler.createObserver([UInt8].self)
        let subscription = client.bodyParts(request).subscribe(observer)
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(observer.events.count, 1)
        return observer.events.last?.value.error as? HTTPClientError
    }

    func testARefusedResponseIsAnErrorWithTheBeginningOfItsBodyAndTheFailureInIt() throws {
        let refused = ScriptedResponse(status: .unprocessableContent, body: #"{"title": "no"}"#)
        for response in [refused, refused.chunked().truncated(after: 15)] {
            let error = try failure(response)
            XCTAssertEqual(error?.code, .status)
            XCTAssertEqual(error?.response?.text, #"{"title": "no"}"#)
            XCTAssertEqual((error?.underlying as? Problem)?.title, "no")
            XCTAssertEqual(error?.path, "/b")
            XCTAssertEqual(error?.attempt, 2)
        }
        let long = try failure(ScriptedResponse(status: .notFound, body: String(repeating: "a", count: 100_000)))
        XCTAssertEqual(long?.response?.body.count, 65_536)
    }

    func testARefusedResponseThatMayNeverEndIsAnErrorAtItsHead() throws {
        let error = try failure(ScriptedResponse(status: .notFound, body: "no"), isLongLived: true)
        XCTAssertEqual(error?.code, .status)
        XCTAssertEqual(error?.response?.body, [])
    }

    /// Lines can be compressed well for hours, and the limit of a line bounds their memory.
    func testTheDecodingRatioDoesNotApplyToLines() throws {
        let options = Locked<[TransferOptions?]>([])
        let transport = ObservableTransport { request in
            options.withLock { $0.append(request.transfer) }
            return .of(.head(HTTPResponse(status: .ok)), .body(Array("a".utf8)))
        }
        var configuration = HTTPClient.Configuration()
        configuration.transfer.isLongLived = true
        let client = HTTPClient(
            transport: transport, scheduler: TestScheduler(initialClock: 0), configuration: configuration)
        var request = try Request(.get, "http://a/")
        let events = client.events(request)
        _ = client.lines(request).subscribe { _ in }
        _ = events.lines().subscribe { _ in }
        _ = events.validate().byteLines().subscribe { _ in }
        request.transfer = TransferOptions()
        request.transfer?.maximumBodySize = 10
        _ = client.lines(request).subscribe { _ in }
        let used = options.withLock { $0 }
        XCTAssertEqual(used.map { $0?.maximumDecodingRatio }, [nil, nil, nil, nil])
        XCTAssertEqual(used.map { $0?.isLongLived }, [true, true, true, false])
        XCTAssertEqual(used.last??.maximumBodySize, 10)
        _ = client.bodyParts(request).subscribe { _ in }
        _ = events.subscribe { _ in }
        XCTAssertEqual(options.withLock { $0.suffix(2).map { $0?.maximumDecodingRatio } }, [200, 200])
    }

    func testEveryKindOfLineEndEndsALine() throws {
        let body = Array("one\ntwo\r\nthree\rfour\n\r\n\nlast".utf8)
        XCTAssertEqual(
            try lines([body]), ["one", "two", "three", "four", "", "", "last"].map { .next($0) } + [.completed])
        XCTAssertEqual(try lines([Array("a\n".utf8)]), [.next("a"), .completed])
        XCTAssertEqual(try lines([Array("\n".utf8)]), [.next(""), .completed])
        XCTAssertEqual(try lines([]), [.completed])
    }

    func testTheBoundariesOfThePiecesDoNotAffectTheLines() throws {
        let body = Array("\r\na\r\r\n\nbc\n\rgrün\r\nd".utf8)
        var whole: [[UInt8]] = []
        try split([body]) { whole.append($0) }
        XCTAssertEqual(whole.map { String(decoding: $0, as: UTF8.self) }, ["", "a", "", "", "bc", "", "grün", "d"])
        for first in 0...body.count {
            for second in first...body.count {
                var cut: [[UInt8]] = []
                try split([body[..<first], body[first..<second], body[second...]].map(Array.init)) { cut.append($0) }
                XCTAssertEqual(cut, whole, "\(first), \(second)")
            }
        }
    }

    func testRandomPiecesGiveTheLinesOfTheWhole() throws {
        var random = Numbers(seed: 5)
        for _ in 0..<5_000 {
            let body = (0..<random.next(below: 40)).map { _ in
                [UInt8](arrayLiteral: 10, 13, 97, 98)[random.next(below: 4)]
            }
            var pieces: [[UInt8]] = []
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(random.next(below: 5))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            var (whole, cut): ([[UInt8]], [[UInt8]]) = ([], [])
            try split([body]) { whole.append($0) }
            try split(pieces) { cut.append($0) }
            XCTAssertEqual(cut, whole)
            XCTAssertEqual(whole.joined().count, body.filter { $0 > 13 }.count)
        }
    }

    private func split(_ pieces: [[UInt8]], _ line: ([UInt8]) -> Void) throws {
        var splitter = LineSplitter(maximumLength: 1000)
        for piece in pieces { try piece.withUnsafeBufferPointer { try splitter.take($0) { line(Array($0)) } } }
        splitter.finish { line(Array($0)) }
    }

    func testALineThatIsTooLongEndsTheStream() throws {
        let pieces = ["12345", "678", "9\n"].map { Array($0.utf8) }
        XCTAssertEqual(try lines(pieces, maximum: 9), [.next("123456789"), .completed])
        let events = try lines([Array("ok\n".utf8)] + pieces, maximum: 8)
        XCTAssertEqual(events.first, .next("ok"))
        guard case .error(let error as HTTPClientError) = events.last else { return XCTFail("\(events)") }
        XCTAssertEqual(error.code, .tooLarge)
        XCTAssertEqual(error.origin, "http://a")
        XCTAssertEqual(events.count, 2)
    }

    func testLinesAreDecodedWithTheCharsetOfTheBody() throws {
        XCTAssertEqual(try lines([[0xFC, 10]], type: "text/plain; charset=latin1"), [.next("ü"), .completed])
        XCTAssertEqual(try lines([[0xEF, 0xBB, 0xBF, 97, 10, 98]]), [.next("a"), .next("b"), .completed])
    }

    func testAByteOrderMarkNamesTheCharsetOfAllLines() throws {
        let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("ü\nö".utf8)
        XCTAssertEqual(
            try lines([marked], type: "text/plain; charset=latin1"), [.next("ü"), .next("ö"), .completed])
    }

    func testTheLinesOfUTF16AreAnErrorByItsNameAndByItsByteOrderMark() throws {
        let named = try lines([[0, 10]], type: "text/plain; charset=utf-16")
        let marked: [[[UInt8]]] = [
            [[0xFF, 0xFE, 97, 0, 10, 0]], [[0xFE], [0xFF, 0, 97, 0, 10]], [[0xFF, 0xFE, 97, 0]], [[0xFF, 0xFE]],
        ]
        for events in [named] + (try marked.map { try lines($0) }) {
            guard events.count == 1, case .error(let error as HTTPClientError) = events.last else {
                XCTFail("\(events)")
                continue
            }
            XCTAssertEqual(error.code, .decoding)
        }
    }

    func testAFailureIsDeliveredAfterTheLinesBeforeIt() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let client = client(ScriptedResponse(body: "a\nb\nc").chunked().truncated(after: 5), scheduler: scheduler)
        let observer = scheduler.createObserver([UInt8].self)
        let subscription = client.events(try Request(.get, "http://a/")).byteLines().subscribe(observer)
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(observer.events.compactMap(\.value.element), [[97], [98]])
        XCTAssertEqual((observer.events.last?.value.error as? HTTPClientError)?.code, .connectionLost)
    }

    func testAPauseOfTheLinesPausesTheTransfer() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let pieces = (0..<10).map { Array("\($0)\n".utf8) }
        let client = client(ScriptedResponse(pieces: pieces).pausing(.seconds(1)), scheduler: scheduler)
        let observer = scheduler.createObserver(String.self)
        let subscription = client.lines(try Request(.get, "http://a/")).subscribe(observer)
        scheduler.advanceTo(2)
        (subscription as? any Pausable)?.pause()
        let before = observer.events.count
        XCTAssertGreaterThan(before, 0)
        scheduler.advanceTo(20)
        XCTAssertLessThanOrEqual(observer.events.count, before + 1)
        (subscription as? any Pausable)?.resume()
        scheduler.start()
        XCTAssertEqual(observer.events.compactMap(\.value.element), (0..<10).map { "\($0)" })
        subscription.dispose()
    }

    func testTakeEndsAnEndlessResponseThatArrivesAtOnce() throws {
        let transport = StubTransport()
        transport.enqueue(.repeating(Array("a\n".utf8), times: .max))
        let client = HTTPClient(transport: transport, scheduler: TestScheduler(initialClock: 0))
        let lines = Locked<[String]>([])
        _ = client.lines(try Request(.get, "http://a/")).take(3)
            .subscribe(onNext: { line in lines.withLock { $0.append(line) } })
        XCTAssertEqual(lines.withLock { $0 }, ["a", "a", "a"])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testProgressAndPartsAreEmitted() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let client = client(ScriptedResponse(pieces: [[1, 2], [3]]), scheduler: scheduler)
        let progress = scheduler.createObserver(DownloadProgress.self)
        let parts = scheduler.createObserver([UInt8].self)
        let events = client.events(try Request(.get, "http://a/")).publish()
        let subscriptions = Disposables.create(
            events.downloadProgress().subscribe(progress), events.bodyParts().subscribe(parts), events.connect())
        scheduler.start()
        subscriptions.dispose()
        XCTAssertEqual(
            progress.events.compactMap(\.value.element),
            [0, 2, 3].map { DownloadProgress(received: $0, total: 3) })
        XCTAssertEqual(progress.events.compactMap(\.value.element).map(\.fraction), [0, 2.0 / 3, 1])
        XCTAssertEqual(parts.events.compactMap(\.value.element), [[1, 2], [3]])
    }
}
