import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Bodies that are collected, which the transport puts together itself.
final class TransportWholeBodyTests: TransportOnScriptedServerTestCase {
    private struct Late: Error {}

    private struct Monitor: ClientMonitor {
        func take(_ event: ClientEvent) {}
    }

    /// Of a unit that is no divisor of any piece.
    private static func body(_ size: Int, _ seed: Int = 0) -> [UInt8] {
        let unit = (0..<4093).map { UInt8(truncatingIfNeeded: ($0 / 7 + seed) ^ ($0 >> 5)) }
        var body: [UInt8] = []
        while body.count < size { body += unit.prefix(size - body.count) }
        return body
    }

    private func client(limit: Int = .max, monitors: [any ClientMonitor] = []) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = limit
        configuration.monitors = monitors
        return HTTPClient(
            transport: transport(), scheduler: LoopScheduler(loop), configuration: configuration)
    }

    private func results(_ client: HTTPClient, _ count: Int = 1) throws -> [Result<Response, any Error>] {
        let results = Locked<[Result<Response, any Error>]>([])
        let group = DispatchGroup()
        for _ in 0..<count {
            group.enter()
            _ = client.get(server.url + "/").subscribe { result in
                results.withLock { $0.append(result) }
                group.leave()
            }
        }
        guard group.wait(timeout: .now() + 30) == .success else { throw Late() }
        return results.withLock { $0 }
    }

    private func code(_ result: Result<Response, any Error>) -> HTTPClientError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (error as? HTTPClientError)?.code
    }

    func testABodyOfAnySizeComesAsItWasSentWhoeverWatches() throws {
        for client in [client(), client(monitors: [Monitor()])] {
            for size in [0, 1, 16_383, 16_384, 16_385, 65_536, 65_537, 1 << 20, 3_000_000] {
                let body = Self.body(size)
                for answer in [ScriptedAnswer(pieces: [body]), ScriptedAnswer(pieces: [body]).chunked()] {
                    server.enqueue(answer)
                    XCTAssertEqual(try results(client)[0].get().body, body, "\(size)")
                }
            }
        }
    }

    func testBodiesThatAreKeptStayAsTheyAreWhileOthersCome() throws {
        let client = client()
        var kept: [[UInt8]] = []
        for round in 0..<30 {
            server.enqueue(ScriptedAnswer(pieces: [Self.body(1 << 20, round)]))
            let body = try results(client)[0].get().body
            // The memory of every other one is given back.
            if round % 2 == 0 { kept.append(body) }
        }
        for (index, body) in kept.enumerated() { XCTAssertEqual(body, Self.body(1 << 20, 2 * index)) }
    }

    func testBodiesThatComeAtATimeAreNotMixed() throws {
        for number in 0..<20 { server.enqueue(ScriptedAnswer(pieces: [Self.body(300_000, number)])) }
        let bodies = try results(client(), 20).map { try $0.get().body }
        XCTAssertEqual(Set(bodies), Set((0..<20).map { Self.body(300_000, $0) }))
    }

    /// The pieces in which a body of 300,000 bytes comes to who takes so many in one.
    private func pieces(
        limit: Int, breaksOff: Bool = false
    ) throws -> (pieces: [[UInt8]], error: HTTPClientError.Code?) {
        let body = Self.body(300_000)
        let answer = ScriptedAnswer(pieces: [body])
        server.enqueue(breaksOff ? answer.cut(after: 200_000) : answer.chunked())
        let gatherer = Gatherer(limit: limit)
        let transport = transport()
        let transfer = transport.transfer(
            try Request(.get, server.url + "/"), options: TransferOptions(), number: 0, to: gatherer)
        transfer.begin()
        XCTAssertEqual(gatherer.done.wait(timeout: .now() + 30), .success)
        let error = gatherer.failure.withLock { $0 }
        return (gatherer.pieces.withLock { $0 }, (error as? HTTPClientError)?.code)
    }

    func testABodyWithinTheLimitComesInOnePieceAndAGreaterOneInSeveral() throws {
        for limit in [300_000, 1_000_000] { XCTAssertEqual(try pieces(limit: limit).pieces, [Self.body(300_000)]) }
        let tooGreat = try pieces(limit: 299_999).pieces
        XCTAssertGreaterThan(tooGreat.count, 1)
        XCTAssertLessThanOrEqual(tooGreat[0].count, 299_999)
        XCTAssertEqual(Array(tooGreat.joined()), Self.body(300_000))
        XCTAssertGreaterThan(try pieces(limit: 0).pieces.count, 1)
    }

    func testNothingIsHandedOverOfABodyThatBreaksOff() throws {
        let (pieces, error) = try pieces(limit: 1_000_000, breaksOff: true)
        XCTAssertEqual(pieces, [])
        XCTAssertEqual(error, .connectionLost)
    }

    func testABodyThatExceedsTheLimitOnTheWayEndsThere() throws {
        let left = DispatchSemaphore(value: 0)
        let body = Observable.concat(.just(Self.body(400_000)), .never()).do(onDispose: { left.signal() })
        server.enqueue(.streaming(body))
        XCTAssertEqual(code(try results(client(limit: 300_000))[0]), .tooLarge)
        XCTAssertEqual(left.wait(timeout: .now() + 30), .success)
    }

    func testTheMemoryOfBodiesIsGivenBackWithTheConnections() throws {
        let transport = transport { $0.pool.idleTimeout = .seconds(1) }
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        func kept() -> Int {
            let size = Locked(0)
            let isRead = DispatchSemaphore(value: 0)
            loop.execute {
                size.withLock { $0 = transport.pool.bodies.kept.size }
                isRead.signal()
            }
            isRead.wait()
            return size.withLock { $0 }
        }
        server.enqueue(ScriptedAnswer(pieces: [Self.body(1 << 20)]))
        XCTAssertEqual(try results(client)[0].get().body.count, 1 << 20)
        XCTAssertGreaterThanOrEqual(kept(), 1 << 20)
        waitUntil("it is given back") { kept() == 0 }
    }

    func testAGreatLengthThatIsNotKeptTakesNoMemory() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4611686018427387904\r\n\r\n"
        for monitors in [[], [Monitor()]] {
            server.enqueue(.raw(Array(head.utf8) + Self.body(3_000_000)))
            XCTAssertEqual(code(try results(client(monitors: monitors))[0]), .connectionLost)
        }
    }

    func testARedirectsBodyIsNotCollected() throws {
        server.enqueue(
            .raw(
                Array("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 1000000000000\r\n\r\n".utf8)
                    + Self.body(200_000)))
        server.enqueue(ScriptedAnswer(pieces: [Self.body(100_000)]))
        XCTAssertEqual(try results(client())[0].get().body, Self.body(100_000))
    }
}

/// Wants bodies of so many bytes in one piece.
private final class Gatherer: TransferReceiver {
    let pieces = Locked<[[UInt8]]>([])
    let failure = Locked<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func prepare(_ request: inout Request, for number: Int) -> Single<Request>? { nil }
    func wholeBodyLimit(of number: Int) -> Int { limit }

    func take(_ part: consuming ResponsePart, of number: Int) {
        if case .body(let bytes) = part { pieces.withLock { $0.append(bytes) } }
    }

    func end(_ failure: (any Error)?, of number: Int) {
        self.failure.withLock { $0 = failure }
        done.signal()
    }
}
