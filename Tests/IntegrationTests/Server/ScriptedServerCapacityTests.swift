import FreshetCore
import FreshetHTTPTesting
import FreshetLoop
import Glibc
import XCTest

/// Tests many connections at once, a process without free descriptors, and the end of the server.
final class ScriptedServerCapacityTests: ScriptedServerTestCase {
    func testAThousandConnectionsAreServedAtOnce() throws {
        OpenFiles.raiseLimit()
        try withServer { server, connect in
            let barrier = Barrier()
            server.route { request in ScriptedResponse(body: "#\(request.path)#").delayed(until: barrier) }
            let clients = (0..<1000).map { number in
                let client = connect()
                client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                return client
            }
            let all = expectation(description: "all")
            let subscription = server.received.subscribe { if $0.number == 1000 { all.fulfill() } }
            wait(for: [all], timeout: 30)
            subscription.dispose()
            XCTAssertEqual(server.openConnections, 1000)
            barrier.release()
            for (number, client) in clients.enumerated() {
                XCTAssertTrue(client.read(upTo: "#/\(number)#").hasSuffix("#/\(number)#"))
            }
        }
    }

    func testAServerWithoutDescriptorsWaitsForOne() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedResponse(body: "ok") }
            let shortage = DescriptorShortage()
            let client = connect()
            client.send(Self.get)
            // The server tries twice or more before a descriptor is free.
            usleep(50_000)
            XCTAssertEqual(server.acceptedConnections, 0)
            shortage.end()
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
        wait(for: [closed], timeout: 30)
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

    /// A configuration with a port that another server has taken.
    private var privileged: ScriptedServer.Configuration {
        var configuration = ScriptedServer.Configuration()
        let other = try? ScriptedServer(on: loop)
        configuration.port = other?.port ?? 0
        return configuration
    }
}
