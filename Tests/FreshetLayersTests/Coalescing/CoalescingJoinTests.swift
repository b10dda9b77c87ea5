import Dispatch
import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which part of a shared response a caller receives, and who pauses it.
final class CoalescingJoinTests: XCTestCase {
    private var resources = 0
    private var server: ManualTransport!
    private var layered: (any Transport)!

    override func setUp() {
        resources = Resources.total
        server = ManualTransport()
        layered = Coalescing().wrapping(server)
    }

    override func tearDown() {
        (server, layered) = (nil, nil)
        XCTAssertEqual(Resources.total, resources)
    }

    private func begin(_ caller: Caller = Caller()) throws -> (Caller, any Transfer) {
        let transfer = layered.transfer(try Request(.get, "http://a.example/"), to: caller)
        transfer.start()
        return (caller, transfer)
    }

    func testARequestWithAnEmptyBodyJoinsOneWithoutABody() throws {
        _ = try begin()
        layered.transfer(try Request(.get, "http://a.example/", body: .bytes([])), to: Caller()).start()
        XCTAssertEqual(server.requests.count, 1)
        server.requests[0].respond(["head", "end"])
    }

    func testACallerThatComesTooLateForTheHeadBeginsAnotherRequest() throws {
        let (first, _) = try begin()
        server.requests[0].send("/1")
        // The head arrives after the caller was to join, and before it has joined.
        let late = Caller(onPart: { [weak server] part in
            if part == "sent /1" { server?.requests[0].respond(["head"]) }
        })
        _ = try begin(late)
        server.requests[0].respond(["a", "end"])
        XCTAssertEqual(first.log, ["sent /1", "head", "a", "end"])
        XCTAssertEqual(late.log, ["sent /1"])
        XCTAssertEqual(server.requests.count, 2)
        server.requests[1].respond(["head", "b", "end"])
        XCTAssertEqual(late.log, ["sent /1", "head", "b", "end"])
    }

    func testACallerOnAnotherThreadReceivesTheWholeResponseOrBeginsAnotherRequest() throws {
        for round in 0..<3000 {
            server = ManualTransport()
            let layered = Coalescing().wrapping(server)
            layered.transfer(try Request(.get, "http://a.example/"), to: Caller()).start()
            let caller = Caller()
            let transfer = layered.transfer(try Request(.get, "http://a.example/"), to: caller)
            let first = server.requests[0]
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { return transfer.start() }
                // Moves the head through all steps of the other thread.
                for _ in 0..<round % 100 { _ = first.isDisposed }
                first.respond(["head"])
            }
            first.respond(["a", "end"])
            server.requests.dropFirst().forEach { $0.respond(["head", "b", "end"]) }
            let response = server.requests.count == 1 ? ["head", "a", "end"] : ["head", "b", "end"]
            XCTAssertEqual(caller.log.filter { $0 != "layer" }, response)
        }
    }

    func testACallerReceivesTheLatestFinalRequestBeforeTheHead() throws {
        _ = try begin()
        server.requests[0].send("/1")
        // The transport sends the request once more while the caller joins.
        let late = Caller(onPart: { [weak server] part in
            if part == "sent /1" { server?.requests[0].send("/2") }
        })
        _ = try begin(late)
        server.requests[0].respond(["head", "end"])
        XCTAssertEqual(late.log, ["sent /1", "sent /2", "layer", "head", "end"])
    }

    func testTheConnectionIsPausedWhileAllCallersPause() throws {
        let (_, first) = try begin()
        let (_, second) = try begin()
        let request = server.requests[0]
        first.pause()
        XCTAssertEqual(request.pauses, [])
        second.pause()
        XCTAssertEqual(request.pauses, [true])
        let (_, third) = try begin()
        XCTAssertEqual(request.pauses, [true, false], "a caller that has not paused joins")
        third.dispose()
        XCTAssertEqual(request.pauses, [true, false, true], "it cancels")
        first.dispose()
        XCTAssertEqual(request.pauses, [true, false, true])
        second.resume()
        XCTAssertEqual(request.pauses, [true, false, true, false])
        second.dispose()
        XCTAssertTrue(request.isDisposed)
    }

    func testTheEarliestCallerThatIsLeftMakesTheRequestFinal() throws {
        let (first, cancelled) = try begin()
        let (second, _) = try begin()
        var final = try Request(.get, "http://a.example/")
        _ = server.requests[0].receiver.prepare(&final)
        cancelled.dispose()
        _ = server.requests[0].receiver.prepare(&final)
        // Each caller prepares its request once to compare it.
        XCTAssertEqual([first.preparations, second.preparations], [2, 2])
        server.requests[0].respond(["head", "end"])
        XCTAssertEqual(first.log, [])
        XCTAssertEqual(second.log, ["layer", "head", "end"])
    }
}

/// A transport whose responses the test sends part by part.
private final class ManualTransport: Transport {
    private let made = Locked<[ManualTransfer]>([])
    var requests: [ManualTransfer] { made.withLock { $0 } }

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        let transfer = ManualTransfer(receiver)
        made.withLock { $0.append(transfer) }
        return transfer
    }
}

private final class ManualTransfer: Transfer {
    let receiver: any TransferReceiver
    private let state = Locked((pauses: [Bool](), isDisposed: false))

    init(_ receiver: any TransferReceiver) { self.receiver = receiver }

    var pauses: [Bool] { state.withLock { $0.pauses } }
    var isDisposed: Bool { state.withLock { $0.isDisposed } }

    func start() {}
    func dispose() { state.withLock { $0.isDisposed = true } }
    func pause() { state.withLock { $0.pauses.append(true) } }
    func resume() { state.withLock { $0.pauses.append(false) } }

    func send(_ path: String) { receiver.willSend(try! Request(.get, "http://a.example\(path)")) }

    func respond(_ parts: [String]) {
        for part in parts {
            switch part {
            case "head": receiver.receive(.head(HTTPResponse(status: .ok)))
            case "end": receiver.receiveEnd(nil)
            default: receiver.receive(.body(Array(part.utf8)))
            }
        }
    }
}

private final class Caller: TransferReceiver {
    private let state = Locked((log: [String](), preparations: 0))
    private let onPart: @Sendable (String) -> Void

    init(onPart: @escaping @Sendable (String) -> Void = { _ in }) { self.onPart = onPart }

    var log: [String] { state.withLock { $0.log } }
    var preparations: Int { state.withLock { $0.preparations } }

    func prepare(_ request: inout Request) -> Adaptation {
        state.withLock { $0.preparations += 1 }
        return .ready
    }

    func willSend(_ request: Request) { add("sent \(request.url.path)") }

    func receive(_ part: consuming ResponsePart) {
        switch part {
        case .head: add("head")
        case .body(let bytes): add(String(decoding: bytes, as: UTF8.self))
        case .phase(.layer): add("layer")
        default: add("other")
        }
    }

    func receiveEnd(_ failure: (any Error)?) { add(failure.map { "\($0)" } ?? "end") }

    private func add(_ text: String) {
        state.withLock { $0.log.append(text) }
        onPart(text)
    }
}
