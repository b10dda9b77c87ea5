import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import Glibc
import HTTPTypes
import XCTest

/// Tests in which pieces the transport delivers a body, and that pieces which an observer keeps do not change.
final class TransportBodyPiecesTests: TransportOnScriptedServerTestCase {
    /// Bytes without repeated stretches.
    private static func body(_ size: Int, seed: UInt32 = 1) -> [UInt8] {
        var state = seed
        return (0..<size).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    /// All pieces of a response, kept until its end.
    private func pieces(_ response: ScriptedResponse) throws -> [[UInt8]] {
        server.enqueue(response)
        let pieces = Locked<[[UInt8]]>([])
        let done = DispatchSemaphore(value: 0)
        let subscription = transport().parts(try Request(.get, server.url + "/")).subscribe { event in
            if case .next(.body(let bytes)) = event { pieces.withLock { $0.append(bytes) } }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success)
        subscription.dispose()
        return pieces.withLock { $0 }
    }

    func testRetainedPiecesAreNotChanged() throws {
        for size in [1, 8191, 8192, 16_383, 16_384, 16_385, 32_768, 65_536, 65_537, 98_304, 3_000_000] {
            let body = Self.body(size)
            for response in [ScriptedResponse(pieces: [body]), ScriptedResponse(pieces: [body]).chunked()] {
                let pieces = try pieces(response)
                XCTAssertTrue(pieces.allSatisfy { !$0.isEmpty && $0.count <= 65_536 }, "\(size)")
                XCTAssertTrue(pieces.joined().elementsEqual(body), "\(size)")
            }
        }
    }

    func testThePiecesOfConcurrentResponsesAreNotMixed() throws {
        let transport = transport()
        let size = 300_000
        let outcomes = Locked<[Int: [UInt8]]>([:])
        let group = DispatchGroup()
        for _ in 0..<20 { server.enqueue(ScriptedResponse(pieces: [Self.body(size)])) }
        let request = try Request(.get, server.url + "/")
        let subscriptions = (0..<20).map { number in
            group.enter()
            return transport.parts(request).subscribe { event in
                if case .next(.body(let bytes)) = event {
                    outcomes.withLock { $0[number, default: []] += bytes }
                }
                if event.isStopEvent { group.leave() }
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 30), .success)
        for subscription in subscriptions { subscription.dispose() }
        let expected = Self.body(size)
        XCTAssertEqual(outcomes.withLock { $0.values.filter { $0 == expected }.count }, 20)
    }

    func testADisposedPausedTransferDeliversNothingMore() throws {
        server.enqueue(ScriptedResponse(pieces: [Self.body(4_000_000)]))
        let counted = Locked<[Int]>([])
        let held = DispatchSemaphore(value: 0)
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            transport().parts(try Request(.get, server.url + "/")).subscribe { event in
                guard case .next(.body(let bytes)) = event else { return }
                counted.withLock { $0.append(bytes.count) }
                if counted.withLock({ $0.count }) == 1 {
                    subscription.pause()
                    held.signal()
                }
            })
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        // The work that the loop did at that time is done.
        for _ in 0..<5 { _ = loop.executeAndWait {} }
        XCTAssertEqual(counted.withLock { $0.count }, 1)
        subscription.dispose()
        for _ in 0..<5 { _ = loop.executeAndWait {} }
        XCTAssertEqual(counted.withLock { $0.count }, 1)
    }

    func testTheLimitStopsABodyThatIsReadInOnePiece() throws {
        let response = ScriptedResponse(pieces: [Self.body(60_000)]).chunked()
        let outcome = try get(response) { $0.maximumBodySize = 40_000 }
        XCTAssertEqual(outcome.error?.code, .tooLarge)
        XCTAssertLessThanOrEqual(outcome.body.count, 40_000)
    }

    func testTheReceiveBufferIsLargeUnlessTheTransferIsLongLived() throws {
        let descriptor = socket(AF_INET, streamSocket, 0)
        defer { close(descriptor) }
        let narrow = room(of: descriptor)
        var mark: Int32 = 1 << 18
        setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &mark, socklen_t(MemoryLayout<Int32>.size))
        let wide = room(of: descriptor)
        XCTAssertGreaterThanOrEqual(try room(isLongLived: false), wide)
        // Some kernels do not support the mark, or begin with a larger buffer.
        if narrow < wide { XCTAssertLessThan(try room(isLongLived: true), wide) }
    }

    private func room(of descriptor: Int32) -> Int32 {
        var room: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, &length) == 0 ? room : 0
    }

    /// The size of the kernel's receive buffer for a request.
    private func room(isLongLived: Bool) throws -> Int32 {
        let port = UInt16(server.url.split(separator: ":").last!)!
        let begun = DispatchSemaphore(value: 0)
        server.enqueue(ScriptedResponse(pieces: [[1], [2]]).pausing(.seconds(100)))
        var request = try Request(.get, server.url + "/")
        var options = TransferOptions()
        options.isLongLived = isLongLived
        request.transfer = options
        let subscription = transport().parts(request).subscribe { event in
            if case .next(.body) = event { begun.signal() }
        }
        defer { subscription.dispose() }
        XCTAssertEqual(begun.wait(timeout: .now() + 30), .success)
        return (0..<1024).compactMap { fd -> Int32? in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isThere = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(fd), $0, &length) == 0 }
            }
            return isThere && address.sin_port.bigEndian == port ? room(of: Int32(fd)) : nil
        }.max() ?? 0
    }
}
