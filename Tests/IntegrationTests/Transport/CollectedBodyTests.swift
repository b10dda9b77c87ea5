import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests bodies that the client collects.
final class CollectedBodyTests: TransportOnScriptedServerTestCase {
    private struct Late: Error {}

    private struct Monitor: ClientMonitor {
        func receive(_ event: ClientEvent) {}
    }

    /// A body whose repeated unit divides no piece.
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

    func testABodyOfAnySizeIsDeliveredUnchangedWithAndWithoutAMonitor() throws {
        for client in [client(), client(monitors: [Monitor()])] {
            for size in [0, 1, 16_383, 16_384, 16_385, 65_536, 65_537, 1 << 20, 3_000_000] {
                let body = Self.body(size)
                for response in [ScriptedResponse(pieces: [body]), ScriptedResponse(pieces: [body]).chunked()] {
                    server.enqueue(response)
                    XCTAssertEqual(try results(client)[0].get().body, body, "\(size)")
                }
            }
        }
    }

    func testRetainedBodiesAreNotChangedByLaterOnes() throws {
        let client = client()
        var kept: [[UInt8]] = []
        for round in 0..<30 {
            server.enqueue(ScriptedResponse(pieces: [Self.body(1 << 20, round)]))
            let body = try results(client)[0].get().body
            // The memory of every other body is released.
            if round % 2 == 0 { kept.append(body) }
        }
        for (index, body) in kept.enumerated() { XCTAssertEqual(body, Self.body(1 << 20, 2 * index)) }
    }

    func testConcurrentBodiesAreNotMixed() throws {
        for number in 0..<20 { server.enqueue(ScriptedResponse(pieces: [Self.body(300_000, number)])) }
        let bodies = try results(client(), 20).map { try $0.get().body }
        XCTAssertEqual(Set(bodies), Set((0..<20).map { Self.body(300_000, $0) }))
    }

    func testABodyThatExceedsTheLimitIsCancelledThere() throws {
        let left = DispatchSemaphore(value: 0)
        let body = Observable.concat(.just(Self.body(400_000)), .never()).do(onDispose: { left.signal() })
        server.enqueue(.streaming(body))
        XCTAssertEqual(code(try results(client(limit: 300_000))[0]), .tooLarge)
        XCTAssertEqual(left.wait(timeout: .now() + 30), .success)
    }

    func testAHugeAnnouncedLengthAllocatesNoMemory() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4611686018427387904\r\n\r\n"
        for monitors in [[], [Monitor()]] {
            server.enqueue(.raw(Array(head.utf8) + Self.body(3_000_000)))
            XCTAssertEqual(code(try results(client(monitors: monitors))[0]), .connectionLost)
        }
    }

    func testTheBodyOfARedirectIsNotCollected() throws {
        server.enqueue(
            .raw(
                Array("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 1000000000000\r\n\r\n".utf8)
                    + Self.body(200_000)))
        server.enqueue(ScriptedResponse(pieces: [Self.body(100_000)]))
        XCTAssertEqual(try results(client())[0].get().body, Self.body(100_000))
    }
}
