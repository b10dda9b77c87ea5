import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests HTTP/2 servers that send as fast as they are read. Such servers once blocked the loop without end.
final class HTTP2FloodTests: TransportTestCase {
    /// A server that sends the same frame without an end, after the head of a response if `isBegun`.
    private func server(isBegun: Bool = false, _ frame: @escaping @Sendable (UInt32) -> HTTP2Server.Action) throws
        -> HTTP2Server
    {
        try HTTP2Server {
            let flood = HTTP2Server.Action.repeated(frame($0.stream))
            return isBegun ? [.head($0.stream, length: 10), flood] : [flood]
        }
    }

    /// Asserts that a request to `server` fails, and that a request to another server succeeds during the flood.
    ///
    /// - Parameter codes: the possible errors. There are several if libcurl may notice the flood first, with a less exact
    ///   error.
    private func assertFloodIsCut(
        _ server: HTTP2Server, _ phase: HTTPClientError.Phase, _ codes: [HTTPClientError.Code] = [.protocol],
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let others = try Loop(name: "others")
        defer { others.shutdown() }
        let other = try ScriptedServer(on: others)
        defer {
            other.close()
            server.stop()
        }
        other.enqueue(ScriptedResponse(body: "well"))
        let transport = transport { $0.tls.caFile = server.caFile }
        var request = try Request(.get, server.url + "/")
        var options = TransferOptions()
        // The request fails after a second of the flood. On a busy machine the flood has pauses, after which that second begins
        // anew.
        options.totalTimeout = .seconds(60)
        request.transfer = options
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = transport.parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if event.isStopEvent { done.signal() }
        }
        server.waitForFlood()
        let well = try self.outcome(transport, other.url + "/")
        XCTAssertEqual(well.text, "well", "\(String(describing: well.error))", file: file, line: line)
        XCTAssertEqual(done.wait(timeout: .now() + 90), .success, "no end in 90 s", file: file, line: line)
        subscription.dispose()
        let error = outcome.withLock { $0.error }
        XCTAssertTrue(
            error.map { codes.contains($0.code) } ?? false, "\(String(describing: error))", file: file, line: line)
        XCTAssertEqual(error?.phase, phase, file: file, line: line)
        if codes == [.protocol] { XCTAssertEqual(error?.recoverySuggestion, .useHTTP1, file: file, line: line) }
        XCTAssertEqual(error?.origin, server.url, file: file, line: line)
        XCTAssertEqual(server.requestCount, 1, "it was sent again", file: file, line: line)
    }

    func testAFloodOfEmptyDataFramesEndsTheRequest() throws {
        try assertFloodIsCut(server(isBegun: true) { .data($0, "") }, .receiving)
    }

    func testAFloodOfPrioritiesEndsTheRequest() throws {
        for isBegun in [false, true] {
            try assertFloodIsCut(
                server(isBegun: isBegun) { .frame(2, stream: $0, [0, 0, 0, 0, 1]) }, isBegun ? .receiving : .waiting)
        }
    }

    func testAFloodOfPingsEndsTheRequest() throws {
        for isBegun in [false, true] {
            try assertFloodIsCut(
                server(isBegun: isBegun) { _ in .frame(6, stream: 0, Array(repeating: 7, count: 8)) },
                isBegun ? .receiving : .waiting, [.protocol, .connectionLost])
        }
    }

    func testAFloodOfSettingsEndsTheRequest() throws {
        for isBegun in [false, true] {
            try assertFloodIsCut(
                server(isBegun: isBegun) { _ in .frame(4, stream: 0) }, isBegun ? .receiving : .waiting)
        }
    }

    func testAFloodOfWindowUpdatesEndsTheRequest() throws {
        for isBegun in [false, true] {
            try assertFloodIsCut(
                server(isBegun: isBegun) { .frame(8, stream: $0, HTTP2Server.Action.bytes(1)) },
                isBegun ? .receiving : .waiting)
        }
    }

    func testAByteBetweenFloodsDoesNotResetTheLimit() throws {
        let priority = HTTP2Server.Action.frame(2, stream: 1, [0, 0, 0, 0, 1]).bytes
        let flood = Array(repeatElement(priority, count: 300_000).joined()) + HTTP2Server.Action.data(1, "x").bytes
        try assertFloodIsCut(HTTP2Server { [.head($0.stream), .repeated(.raw(flood))] }, .receiving)
    }

    func testAllTransfersOnAFloodedConnectionReceiveTheReason() throws {
        let server = try HTTP2Server {
            $0.number == 3 ? [.repeated(.frame(2, stream: $0.stream, [0, 0, 0, 0, 1]))] : []
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        let errors = Locked<[HTTPClientError?]>([])
        let done = DispatchGroup()
        var subscriptions: [any Disposable] = []
        for _ in 0..<3 {
            done.enter()
            subscriptions.append(
                transport.parts(try Request(.post, server.url + "/", body: .text("x"))).subscribe { event in
                    guard event.isStopEvent else { return }
                    errors.withLock { $0.append(event.error as? HTTPClientError) }
                    done.leave()
                })
        }
        XCTAssertEqual(done.wait(timeout: .now() + 90), .success, "no end in 90 s")
        for subscription in subscriptions { subscription.dispose() }
        XCTAssertEqual(errors.withLock { $0.map { $0?.code } }, [.protocol, .protocol, .protocol])
        XCTAssertEqual(errors.withLock { $0.map { $0?.isUnsent } }, [false, false, false])
        XCTAssertEqual(server.requestCount, 3)
        XCTAssertEqual(server.connectionCount, 1)
    }
}
