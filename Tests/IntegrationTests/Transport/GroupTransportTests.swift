import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests requests over the loops of a group, against a scripted server.
final class GroupTransportTests: ResourceTestCase {
    private var group: LoopGroup!
    private var serverLoop: Loop!
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        serverLoop = try Loop(name: "server")
        server = try ScriptedServer(on: serverLoop)
        server.route(.get, "/") { _ in ScriptedResponse(body: "four") }
        group = try LoopGroup(count: 3)
    }

    override func tearDown() {
        group.shutdown()
        server.close()
        serverLoop.shutdown()
        (group, server, serverLoop) = (nil, nil, nil)
    }

    private func client(_ configuration: CurlTransport.Configuration = .init()) -> HTTPClient {
        HTTPClient(
            transport: CurlGroupTransport(group: group, configuration: configuration),
            scheduler: LoopGroupScheduler(group))
    }

    /// The index of the loop on which each of `count` responses arrives, for requests that `send` sends.
    private func loopIndices(_ count: Int, _ send: (@escaping @Sendable () -> Void) -> Void) -> [Int] {
        let loopIndices = Locked<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        send { [group] in
            let index = group!.loops.firstIndex { $0.isCurrent } ?? -1
            loopIndices.withLock { $0.append(index) }
            done.signal()
        }
        for _ in 0..<count { XCTAssertEqual(done.wait(timeout: .now() + 20), .success) }
        return loopIndices.withLock { $0 }
    }

    func testRequestsFromOtherThreadsAreSpreadOverTheLoops() {
        let client = client()
        let loopIndices = loopIndices(30) { came in
            for _ in 0..<30 { _ = client.get(server.url).subscribe { _ in came() } }
        }
        for loop in 0..<3 { XCTAssertEqual(loopIndices.filter { $0 == loop }.count, 10, "\(loopIndices)") }
    }

    func testEachOriginIsSpreadOverTheLoopsSeparately() throws {
        let other = try ScriptedServer(on: serverLoop)
        defer { other.close() }
        other.route(.get, "/") { _ in ScriptedResponse() }
        let client = client()
        let (first, second) = (Locked<[Int]>([]), Locked<[Int]>([]))
        let loopIndices = loopIndices(18) { [group, server] came in
            // A program that asks two services by turns would always use the same loop with some numbers of loops.
            for _ in 0..<9 {
                for (url, seen) in [(server!.url, first), (other.url, second)] {
                    _ = client.get(url).subscribe { _ in
                        let index = group!.loops.firstIndex { $0.isCurrent } ?? -1
                        seen.withLock { $0.append(index) }
                        came()
                    }
                }
            }
        }
        XCTAssertEqual(loopIndices.count, 18)
        for seen in [first, second] {
            for loop in 0..<3 { XCTAssertEqual(seen.withLock { $0 }.filter { $0 == loop }.count, 3) }
        }
    }

    func testRequestsFromALoopStayOnThatLoop() {
        let client = client()
        let loopIndices = loopIndices(20) { [group, server] came in
            group!.loops[1].execute {
                for _ in 0..<10 {
                    _ = client.get(server!.url).subscribe { _ in
                        came()
                        _ = client.get(server!.url).subscribe { _ in came() }
                    }
                }
            }
        }
        XCTAssertEqual(loopIndices, Array(repeating: 1, count: 20))
    }

    func testTheLimitsApplyToAllLoopsTogether() {
        var configuration = CurlTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 4
        let client = client(configuration)
        _ = loopIndices(60) { came in
            for _ in 0..<60 { _ = client.get(server.url).subscribe { _ in came() } }
        }
        XCTAssertLessThanOrEqual(server.acceptedConnections, 4)
        XCTAssertGreaterThan(server.acceptedConnections, 1)
    }

    func testShutdownEndsTheRequestsOfAllLoops() throws {
        server.route(.get, "/silent") { _ in .silence }
        let transport = CurlGroupTransport(group: group)
        let request = try Request(.get, server.url + "/silent")
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<6 {
            _ = transport.parts(request).subscribe(onError: { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled)
                ended.signal()
            })
        }
        transport.shutdown()
        for _ in 0..<6 { XCTAssertEqual(ended.wait(timeout: .now() + 20), .success) }
    }
}
