import FreshetCore
import FreshetHTTPTesting
import Glibc
import XCTest

/// Tests connections that end too early, or without a closing message.
final class ScriptedServerEndingTests: ScriptedServerTestCase {
    func testATruncatedConnectionEndsAfterTheGivenBytesOfTheBody() throws {
        try withServer { server, connect in
            for count in [0, 1, 5, 9] {
                server.enqueue(
                    ScriptedResponse(pieces: [Array("01234".utf8), Array("56789".utf8)]).truncated(after: count))
                let client = connect()
                client.send(Self.get)
                let (text, error) = client.readToEnd()
                XCTAssertEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + "0123456789".prefix(count))
                XCTAssertEqual(error, 0)
            }
            XCTAssertEqual(server.abandoned.count, 0)
        }
    }

    func testAResetFollowsAfterTheGivenBytes() throws {
        try withServer { server, connect in
            server.enqueue(ScriptedResponse(body: "0123456789").reset(after: 4), .reset, .close, .raw("HTTP/1.1 2"))
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

    func testAnUnannouncedCloseFollowsTheResponse() throws {
        try withServer { server, connect in
            server.enqueue(
                ScriptedResponse(body: "a").closingWithoutConnectionClose(), ScriptedResponse(body: "b").untilClose())
            var client = connect()
            client.send(Self.get)
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
            client = connect()
            client.send(Self.get)
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nb")
        }
    }

    func testARequestIsAbandonedUntilAllBytesOfItsResponseAreSent() throws {
        let response = ScriptedResponse(body: String(repeating: "x", count: 1000))
        for (response, count) in [
            (response.throttled(by: Throttle()), 0), (response.closing().throttled(by: Throttle()), 0),
            (response.paced(10, every: .seconds(60)), 10), (response.closing().paced(10, every: .seconds(60)), 10),
            (response.untilClose().paced(10, every: .seconds(60)), 10),
        ] {
            try withServer { server, connect in
                server.enqueue(response)
                let left = expectation(description: "left")
                let subscription = server.abandonments.subscribe { _ in left.fulfill() }
                let requestReceived = expectation(description: "asked")
                let arrival = server.received.subscribe { _ in requestReceived.fulfill() }
                var client: PlainClient? = connect()
                client?.send(Self.get)
                wait(for: [requestReceived], timeout: 10)
                if count > 0 { _ = client?.read(upTo: "HTTP/1.1 2") }
                client = nil
                wait(for: [left], timeout: 10)
                waitUntil("the connection has ended") { server.openConnections == 0 }
                subscription.dispose()
                arrival.dispose()
            }
        }
    }

    func testAClientThatDisconnectsIsDetectedWhileItsResponseIsHeld() throws {
        try withServer { server, connect in
            server.enqueue(.silence)
            let left = expectation(description: "left")
            let subscription = server.script.abandonments.subscribe { _ in left.fulfill() }
            let requestReceived = expectation(description: "asked")
            let arrival = server.received.subscribe { _ in requestReceived.fulfill() }
            var client: PlainClient? = connect()
            client?.send(Self.get)
            wait(for: [requestReceived], timeout: 30)
            client = nil
            wait(for: [left], timeout: 30)
            subscription.dispose()
            arrival.dispose()
            XCTAssertEqual(server.abandoned.map(\.path), ["/"])
        }
    }
}
