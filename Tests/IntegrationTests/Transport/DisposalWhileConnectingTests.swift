import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import Glibc
import HTTPTypes
import XCTest

/// Tests connections that are abandoned before they are made, which libcurl 7.88 closes without a report.
final class DisposalWhileConnectingTests: TransportOnScriptedServerTestCase {
    func testDisposingInTheTurnThatOpenedASocketLeavesNothingOpen() throws {
        let unresponsive = try UnresponsivePort()
        let transport = transport()
        let request = try Request(.get, "http://127.0.0.1:\(unresponsive.port)/")
        let disposed = expectation(description: "left")
        disposed.expectedFulfillmentCount = 20
        loop.execute {
            for _ in 0..<20 {
                let subscription = SerialDisposable()
                subscription.disposable = transport.parts(request).subscribe { event in
                    guard case .next(.phase(.resolved)) = event else { return }
                    subscription.dispose()
                    disposed.fulfill()
                }
            }
        }
        wait(for: [disposed], timeout: 20)
        // The next sockets have the same descriptor numbers.
        server.route { _ in ScriptedResponse(body: "here") }
        XCTAssertEqual(try outcome(transport, server.url + "/").text, "here")
    }

    func testADescriptorThatWasReusedElsewhereIsNotClosed() throws {
        let unresponsive = try UnresponsivePort()
        let transport = transport()
        let request = try Request(.get, "http://127.0.0.1:\(unresponsive.port)/")
        let opened = expectation(description: "opened")
        opened.expectedFulfillmentCount = 20
        let subscriptions = (0..<20).map { _ in
            transport.parts(request).subscribe { event in
                if case .next(.phase(.resolved)) = event { opened.fulfill() }
            }
        }
        wait(for: [opened], timeout: 20)
        let isOver = expectation(description: "over")
        var pairs: [[Int32]] = []
        loop.execute { subscriptions.forEach { $0.dispose() } }
        loop.execute { isOver.fulfill() }
        wait(for: [isOver], timeout: 20)
        for _ in 0..<10 {
            var pair: [Int32] = [0, 0]
            XCTAssertEqual(socketpair(AF_UNIX, streamSocket, 0, &pair), 0)
            pairs.append(pair)
        }
        server.route { _ in ScriptedResponse(body: "here") }
        for _ in 0..<10 { XCTAssertEqual(try outcome(transport, server.url + "/").text, "here") }
        for pair in pairs {
            XCTAssertEqual(write(pair[0], "x", 1), 1)
            var byte: UInt8 = 0
            XCTAssertEqual(read(pair[1], &byte, 1), 1)
            pair.forEach { close($0) }
        }
    }
}

/// A port of the loopback whose queue is full, so that no connection to it is ever made.
final class UnresponsivePort {
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, streamSocket, 0)
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = Self.with(&address) { pointer in
            bind(listener, pointer, length) == 0 && listen(listener, 0) == 0
                && getsockname(listener, pointer, &length) == 0
        }
        guard isListening else { throw XCTSkip("no port of the loopback can be listened to") }
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<3 {
            let caller = socket(AF_INET, nonblockingStreamSocket, 0)
            descriptors.append(caller)
            _ = Self.with(&address) { connect(caller, $0, length) }
        }
    }

    deinit { descriptors.forEach { close($0) } }

    private static func with<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
