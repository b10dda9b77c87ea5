import FreshetCore
import FreshetHTTPTesting
import FreshetLoop
import Glibc
import HTTPTypes
import XCTest

final class ScriptedServerTests: XCTestCase {
    private var resources = 0
    private var loop: Loop!

    override func setUpWithError() throws {
        resources = Resources.total
        loop = try Loop(name: "server")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        XCTAssertEqual(Resources.total, resources)
    }

    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    private func withServer(
        _ configuration: ScriptedServer.Configuration = .init(),
        _ body: (ScriptedServer, () -> PlainClient) throws -> Void
    ) throws {
        let before = Resources.total
        let server = try ScriptedServer(on: loop, configuration: configuration)
        try body(server) { PlainClient(port: server.port) }
        server.close()
        XCTAssertEqual(server.openConnections, 0)
        XCTAssertLessThanOrEqual(Resources.total - before, 1, "only the server itself is left")
    }

    func testAnAnswerGoesOutToTheByteAndTheConnectionIsKept() throws {
        try withServer { server, connect in
            server.enqueue(
                ScriptedAnswer(status: .created, headers: [.eTag: "x"], body: "hello"),
                ScriptedAnswer(body: "ab").chunked(["c"]).trailed(by: [.eTag: "y"]).preceded(
                    by: .init(code: 103, reasonPhrase: "Early Hints")),
                ScriptedAnswer(status: .noContent), ScriptedAnswer(body: "end").closing())
            let client = connect()
            client.send(Self.get)
            XCTAssertEqual(
                client.read(upTo: "hello"), "HTTP/1.1 201 Created\r\nETag: x\r\nContent-Length: 5\r\n\r\nhello")
            client.send(Self.get)
            XCTAssertEqual(
                client.read(upTo: "ETag: y\r\n\r\n"),
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\nab\r\n1\r\nc\r\n0\r\nETag: y\r\n\r\n")
            client.send(Self.get)
            XCTAssertEqual(client.read(upTo: "\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n")
            client.send(Self.get)
            let (text, error) = client.readToEnd()
            XCTAssertEqual(text, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nend")
            XCTAssertEqual(error, 0)
            XCTAssertEqual(server.requests.map(\.connection), [1, 1, 1, 1])
        }
    }

    func testPipelinedRequestsAreAnsweredInOrderAlsoWhenTheFirstIsHeld() throws {
        try withServer { server, connect in
            let hold = Hold()
            server.route(.get, "/1") { _ in ScriptedAnswer(body: "one").held(by: hold) }
            server.route { request in ScriptedAnswer(body: request.path) }
            let client = connect()
            client.send(
                "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            let other = connect()
            other.send(Self.get)
            XCTAssertTrue(other.read(upTo: "\r\n\r\n/").hasSuffix("/"))
            hold.release()
            let text = client.read(upTo: "/3")
            XCTAssertEqual(text.split(separator: "\r\n\r\n").count, 4)
            XCTAssertEqual(server.requests.filter { $0.connection == 1 }.map(\.path), ["/1", "/2", "/3"])
        }
    }

    func testThousandsOfPipelinedRequestsNeedNoStack() throws {
        try withServer { server, connect in
            server.route { request in ScriptedAnswer(body: "#\(request.path)#") }
            let client = connect()
            for first in stride(from: 0, to: 5000, by: 500) {
                client.send((first..<first + 500).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
                XCTAssertTrue(client.read(upTo: "#/\(first + 499)#").contains("#/\(first)#"))
            }
            XCTAssertEqual(server.requestCount, 5000)
        }
    }

    func testRequestBodiesAreRecordedAndContinueIsSent() throws {
        try withServer { server, connect in
            server.route { request in ScriptedAnswer(body: "\(request.body.count)") }
            let client = connect()
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            XCTAssertEqual(client.read(upTo: "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("bo")
            client.send("dy")
            XCTAssertTrue(client.read(upTo: "\r\n\r\n4").hasPrefix("HTTP/1.1 200 OK\r\n"))
            client.send(
                "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nETag: t\r\n\r\n")
            XCTAssertTrue(client.read(upTo: "\r\n\r\n3").hasPrefix("HTTP/1.1 200 OK\r\n"))
            XCTAssertEqual(server.requests.map(\.text), ["body", "abc"])
            XCTAssertEqual(server.requests[1].trailers[.eTag], "t")
        }
    }

    func testAnExpectationCanBeRefused() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.beforeBody = { request in
            request.path == "/no" ? ScriptedAnswer(status: .expectationFailed) : nil
        }
        try withServer(configuration) { server, connect in
            let client = connect()
            client.send("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\n"))
            XCTAssertEqual(server.requests.map(\.path), ["/no"])
        }
    }

    func testACutConnectionEndsAfterThatManyBytesOfTheBody() throws {
        try withServer { server, connect in
            for count in [0, 1, 5, 9] {
                server.enqueue(ScriptedAnswer(pieces: [Array("01234".utf8), Array("56789".utf8)]).cut(after: count))
                let client = connect()
                client.send(Self.get)
                let (text, error) = client.readToEnd()
                XCTAssertEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + "0123456789".prefix(count))
                XCTAssertEqual(error, 0)
            }
            XCTAssertEqual(server.abandoned.count, 0)
        }
    }

    func testAResetComesAfterThatManyBytesHaveArrived() throws {
        try withServer { server, connect in
            server.enqueue(ScriptedAnswer(body: "0123456789").reset(after: 4), .reset, .close, .raw("HTTP/1.1 2"))
            var ends: [String] = []
            for _ in 0..<4 {
                let client = connect()
                client.send(Self.get)
                let (text, error) = client.readToEnd()
                ends.append("\(text.split(separator: "\r\n").last ?? "") \(error == ECONNRESET ? "reset" : "\(error)")")
            }
            XCTAssertEqual(ends, ["0123 reset", " reset", " 0", "HTTP/1.1 2 0"])
        }
    }

    func testAResetDoesNotOvertakeALargeBody() throws {
        try withServer { server, connect in
            let size = 8 * 1024 * 1024
            server.enqueue(.repeating([UInt8](repeating: 97, count: 65536), times: 1000).reset(after: size))
            let client = connect()
            client.send(Self.get)
            let (text, error) = client.readToEnd()
            XCTAssertEqual(text.utf8.count - "HTTP/1.1 200 OK\r\nContent-Length: 65536000\r\n\r\n".utf8.count, size)
            XCTAssertEqual(error, ECONNRESET)
        }
    }

    func testAnUnannouncedCloseFollowsTheAnswer() throws {
        try withServer { server, connect in
            server.enqueue(ScriptedAnswer(body: "a").closingUnannounced(), ScriptedAnswer(body: "b").untilClose())
            var client = connect()
            client.send(Self.get)
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
            client = connect()
            client.send(Self.get)
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nb")
        }
    }

    func testHTTP10IsSpokenToThoseWhoSpeakIt() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedAnswer().chunked(["ab", "c"]) }
            let client = connect()
            client.send("GET / HTTP/1.0\r\n\r\n")
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
        }
    }

    func testAHeadRequestGetsNoBodyAndTheConnectionIsKept() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedAnswer(body: "abc") }
            let client = connect()
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + Self.get)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
            XCTAssertEqual(client.read(upTo: "abc"), head + head + "abc")
        }
    }

    func testWhatIsNoHTTPGetsItsReason() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.maximumHeadSize = 1000
        configuration.maximumBodySize = 10
        try withServer(configuration) { server, connect in
            var client = connect()
            client.send("nonsense\r\n\r\n")
            XCTAssertEqual(
                client.readToEnd().text,
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 30\r\nConnection: close\r\n\r\n"
                    + "the request line is malformed\n")
            client = connect()
            client.send("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 2000))
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 431 "))
            client = connect()
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n")
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 413 "))
            XCTAssertEqual(server.requestCount, 0)
        }
    }

    func testDelaysTakeTheirTimeBeforeTheHeadAndBetweenPieces() throws {
        try withServer { server, connect in
            server.enqueue(
                ScriptedAnswer().chunked(["a", "b", "c"]).pausing(.milliseconds(20)).after(.milliseconds(30)))
            let client = connect()
            let clock = ContinuousClock()
            let start = clock.now
            client.send(Self.get)
            _ = client.read(upTo: "1\r\na\r\n")
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(30))
            _ = client.read(upTo: "0\r\n\r\n")
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(70))
        }
    }

    func testABodyIsHeldUntilItIsReleasedFromAnyThread() throws {
        try withServer { server, connect in
            let hold = Hold()
            server.enqueue(ScriptedAnswer(body: "abcdef").holding(after: 2, by: hold))
            let client = connect()
            client.send(Self.get)
            XCTAssertTrue(client.read(upTo: "\r\n\r\nab").hasSuffix("ab"))
            XCTAssertEqual(client.received, [])
            hold.release()
            XCTAssertEqual(client.read(upTo: "f"), "cdef")
        }
    }

    func testAnAnswerCanComeFromAnotherThread() throws {
        try withServer { server, connect in
            server.route { request in
                .later { complete in
                    let thread = Thread { complete(ScriptedAnswer(body: "later \(request.path)")) }
                    thread.start()
                }
            }
            server.route { _ in .later(.error(POSIXError(.EIO))) }
            let client = connect()
            client.send(Self.get)
            XCTAssertTrue(client.read(upTo: "later /").hasSuffix("later /"))
        }
    }

    func testAStreamIsPausedWhenTheClientDoesNotReadAndStoppedWhenItLeaves() throws {
        try withServer { server, connect in
            let source = PausableSource()
            server.enqueue(.streaming(source.pieces))
            var client: PlainClient? = PlainClient(port: server.port, receiveBuffer: 4096)
            client?.send(Self.get)
            _ = client?.read(upTo: "\r\n\r\n")
            let paused = expectation(description: "paused")
            source.onPause { paused.fulfill() }
            for _ in 0..<200 { source.send([UInt8](repeating: 97, count: 65536)) }
            wait(for: [paused], timeout: 5)
            let stopped = expectation(description: "stopped")
            source.onStop { stopped.fulfill() }
            client = nil
            wait(for: [stopped], timeout: 5)
            XCTAssertEqual(server.abandoned.count, 1)
        }
    }

    func testAClientThatLeavesIsNoticedWhileItsAnswerIsHeld() throws {
        try withServer { server, connect in
            server.enqueue(.silence)
            let left = expectation(description: "left")
            let subscription = server.script.abandonments.subscribe { _ in left.fulfill() }
            let asked = expectation(description: "asked")
            let arrival = server.received.subscribe { _ in asked.fulfill() }
            var client: PlainClient? = connect()
            client?.send(Self.get)
            wait(for: [asked], timeout: 5)
            client = nil
            wait(for: [left], timeout: 5)
            subscription.dispose()
            arrival.dispose()
            XCTAssertEqual(server.abandoned.map(\.path), ["/"])
        }
    }

    func testSlowReadingTakesItsTime() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.reading = .slowly(bytes: 1024, pause: .milliseconds(5))
        try withServer(configuration) { server, connect in
            server.route { request in ScriptedAnswer(body: "\(request.body.count)") }
            let client = connect()
            let clock = ContinuousClock()
            let start = clock.now
            client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10240\r\n\r\n" + String(repeating: "a", count: 10240))
            XCTAssertTrue(client.read(upTo: "\r\n\r\n10240").hasSuffix("10240"))
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(45))
        }
    }

    func testAThousandConnectionsAtOnce() throws {
        OpenFiles.raiseLimit()
        try withServer { server, connect in
            let hold = Hold()
            server.route { request in ScriptedAnswer(body: "#\(request.path)#").held(by: hold) }
            let clients = (0..<1000).map { number in
                let client = connect()
                client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                return client
            }
            let all = expectation(description: "all")
            let subscription = server.received.subscribe { if $0.number == 1000 { all.fulfill() } }
            wait(for: [all], timeout: 10)
            subscription.dispose()
            XCTAssertEqual(server.openConnections, 1000)
            hold.release()
            for (number, client) in clients.enumerated() {
                XCTAssertTrue(client.read(upTo: "#/\(number)#").hasSuffix("#/\(number)#"))
            }
        }
    }

    func testAServerWithoutDescriptorsWaitsForOne() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedAnswer(body: "ok") }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var low = limit
            low.rlim_cur = 200
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
            var fillers: [Int32] = []
            while case let fd = dup(2), fd >= 0 { fillers.append(fd) }
            Glibc.close(fillers.removeLast())
            let client = connect()
            client.send(Self.get)
            // The server tries twice and more before a descriptor is there.
            usleep(50_000)
            XCTAssertEqual(server.acceptedConnections, 0)
            fillers.forEach { Glibc.close($0) }
            XCTAssertTrue(client.read(upTo: "ok").hasSuffix("ok"))
        }
    }

    func testAServerCanBeClosedOnItsLoopAndAfterItsLoop() throws {
        let server = try ScriptedServer(on: loop)
        let client = PlainClient(port: server.port)
        client.send(Self.get)
        _ = client.read(upTo: "\n\r\n")
        let closed = expectation(description: "closed")
        loop.execute {
            server.close()
            closed.fulfill()
        }
        wait(for: [closed], timeout: 5)
        XCTAssertEqual(server.openConnections, 0)
        let other = try Loop()
        let left = try ScriptedServer(on: other)
        let last = PlainClient(port: left.port)
        last.send(Self.get)
        _ = last.read(upTo: "\n\r\n")
        other.shutdown()
        left.close()
        XCTAssertEqual(left.openConnections, 0)
        XCTAssertThrowsError(try ScriptedServer(on: loop, configuration: privileged)) { error in
            XCTAssertTrue("\(error)".hasPrefix("E"), "\(error)")
        }
    }

    /// A port that is taken.
    private var privileged: ScriptedServer.Configuration {
        var configuration = ScriptedServer.Configuration()
        let other = try? ScriptedServer(on: loop)
        configuration.port = other?.port ?? 0
        return configuration
    }
}

/// A stream that says when it is asked to hold back.
private final class PausableSource: Sendable {
    private struct State {
        var observer: AnyObserver<[UInt8]>?
        var onPause: (@Sendable () -> Void)?
        var onStop: (@Sendable () -> Void)?
    }

    private struct Subscription: Pausable {
        let source: PausableSource

        func dispose() {
            source.state.withLock { state in
                state.observer = nil
                defer { state.onStop = nil }
                return state.onStop
            }?()
        }

        func pause() {
            source.state.withLock { state in
                defer { state.onPause = nil }
                return state.onPause
            }?()
        }

        func resume() {}
    }

    private let state = Locked(State())

    var pieces: Observable<[UInt8]> {
        .create { observer in
            self.state.withLock { $0.observer = observer }
            return Subscription(source: self)
        }
    }

    func onPause(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onPause = action } }
    func onStop(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onStop = action } }
    func send(_ bytes: [UInt8]) { state.withLock { $0.observer }?.onNext(bytes) }
}
