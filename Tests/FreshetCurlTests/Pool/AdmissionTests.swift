import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class AdmissionTests: XCTestCase {
    private var loop: Loop!
    private var transport: CurlTransport!
    private var receiver: NoReceiver!

    override func setUpWithError() throws {
        loop = try Loop()
        transport = CurlTransport(loop: loop)
        receiver = NoReceiver()
    }

    override func tearDown() {
        (transport, receiver) = (nil, nil)
        loop.shutdown()
        loop = nil
    }

    func testTransfersBeginUpToTheLimitOfTheirOriginAndTheOthersInOrder() throws {
        var admission = admission(perOrigin: 2)
        let transfers = try (1...4).map { try transfer("http://a/\($0)") }
        XCTAssertEqual(start(transfers, &admission), ["begin", "begin", "wait", "wait"])
        XCTAssertNil(admission.next())
        leave(transfers[0], &admission)
        XCTAssertIdentical(admission.next(), transfers[2])
        XCTAssertNil(admission.next())
        leave(transfers[2], &admission)
        XCTAssertIdentical(admission.next(), transfers[3])
    }

    func testOriginsTakeTurns() throws {
        var admission = admission(perOrigin: 2, total: 1)
        let addresses = ["http://a/", "http://a/", "http://a/", "http://b/", "http://c/"]
        let transfers = try addresses.map { try transfer($0) }
        _ = start(transfers, &admission)
        var running = transfers[0]
        var order: [String] = []
        for _ in 1..<transfers.count {
            leave(running, &admission)
            running = try XCTUnwrap(admission.next())
            order.append(running.original.url.absoluteString)
        }
        XCTAssertEqual(order, ["http://a/", "http://b/", "http://c/", "http://a/"])
    }

    func testATransferThatYieldedIsFirstInTheQueueAfterwards() throws {
        var admission = admission(perOrigin: 1)
        let transfers = try (1...3).map { try transfer("http://a/\($0)") }
        _ = start(transfers, &admission)
        transfers[0].apply(.waitsForReceiver(Preparation()))
        _ = admission.apply(.waitsForReceiver(transfers[0]))
        XCTAssertIdentical(admission.next(), transfers[1])
        transfers[0].apply(.queued)
        _ = admission.apply(.prepared(transfers[0]))
        leave(transfers[1], &admission)
        XCTAssertIdentical(admission.next(), transfers[0])
    }

    func testATransferThatYieldedKeepsItsTurnAfterManyOrigins() throws {
        var admission = admission(perOrigin: 1)
        let yielded = try transfer("http://a/1")
        _ = start([yielded], &admission)
        yielded.apply(.waitsForReceiver(Preparation()))
        _ = admission.apply(.waitsForReceiver(yielded))
        for number in 1...1100 {
            let other = try transfer("http://h\(number)/")
            _ = start([other], &admission)
            leave(other, &admission)
        }
        let running = try transfer("http://a/2")
        _ = start([running], &admission)
        yielded.apply(.queued)
        _ = admission.apply(.prepared(yielded))
        XCTAssertNil(admission.next(), "one of the origin runs")
        XCTAssertEqual(admission.removeAll().map(ObjectIdentifier.init), [ObjectIdentifier(yielded)])
    }

    func testAFullQueueRefuses() throws {
        var admission = admission(perOrigin: 1, queueLimit: 1)
        let transfers = try (1...3).map { try transfer("http://a/\($0)") }
        XCTAssertEqual(start(transfers, &admission), ["begin", "wait", "refuse overloaded"])
    }

    func testAFullQueueDoesNotBlockAnotherOrigin() throws {
        var admission = admission(perOrigin: 1, queueLimit: 1)
        _ = start([try transfer("http://a/1"), try transfer("http://a/2")], &admission)
        let other = try transfer("http://b/")
        XCTAssertEqual(described(admission.apply(.started(other))), [])
        XCTAssertIdentical(admission.next(), other)
    }

    func testTheLimitIncludingStreamsIsRestoredOnceDescriptorsAreAvailable() throws {
        var limits = CurlTransport.Configuration.Pool()
        limits.maximumLongLived = 3
        var admission = Admission(limits, Gauges())
        var options = TransferOptions()
        options.isLongLived = true
        var streams = try (1...3).map {
            CurlTransfer(try Request(.get, "http://a/\($0)"), options, transport: transport, to: receiver)
        }
        _ = start(streams, &admission)
        let last = streams.removeLast()
        admission.leave(last)
        last.apply(.requeued)
        XCTAssertEqual(described(admission.apply(.returned(last))), [], "ordinary connections are as they were")
        XCTAssertEqual(admission.longLived.limit, 2)
        leave(streams[0], &admission)
        leave(streams[1], &admission)
        XCTAssertIdentical(admission.next(), last)
        leave(last, &admission)
        XCTAssertGreaterThan(admission.longLived.limit, 1)
    }

    func testALimitOfZeroLongLivedTransfersAdmitsOne() throws {
        var limits = CurlTransport.Configuration.Pool()
        limits.maximumLongLived = 0
        var admission = Admission(limits, Gauges())
        var options = TransferOptions()
        options.isLongLived = true
        let streams = try (1...2).map {
            CurlTransfer(try Request(.get, "http://a/\($0)"), options, transport: transport, to: receiver)
        }
        XCTAssertEqual(start(streams, &admission), ["begin", "wait"])
        _ = admission.removeAll()
    }

    func testTheOthersBeginOnceTheConnectionsOfTheirOriginAreShared() throws {
        var admission = admission(perOrigin: 1, total: 3)
        let transfers = try (1...4).map { try transfer("http://a/\($0)") }
        XCTAssertEqual(start(transfers, &admission), ["begin", "wait", "wait", "wait"])
        XCTAssertNil(admission.next())
        XCTAssertTrue(admission.record(multiplexes: true, by: transfers[0]))
        XCTAssertIdentical(admission.next(), transfers[1])
        XCTAssertIdentical(admission.next(), transfers[2])
        XCTAssertNil(admission.next(), "three run, and no more are to")
        XCTAssertFalse(admission.record(multiplexes: true, by: transfers[1]), "it is known")
        _ = admission.removeAll()
    }

    /// libcurl would open a connection for each request beyond the streams that the server allows.
    func testAsManyRequestsRunToAnOriginAsUsualServersAllowOnOneConnection() throws {
        for (perOrigin, expected) in [(2, 100), (120, 120)] {
            var admission = admission(perOrigin: perOrigin, total: 512)
            let transfers = try (1...150).map { try transfer("http://a/\($0)") }
            var running = start(transfers, &admission).filter { $0 == "begin" }.count
            _ = admission.record(multiplexes: true, by: transfers[0])
            while admission.next() != nil { running += 1 }
            XCTAssertEqual(running, expected)
            _ = admission.removeAll()
        }
    }

    func testTheLimitOfAnOriginAppliesAgainOnceAConnectionCarriesOneTransfer() throws {
        var admission = admission(perOrigin: 1)
        let transfers = try (1...3).map { try transfer("http://a/\($0)") }
        _ = start(transfers, &admission)
        XCTAssertTrue(admission.record(multiplexes: true, by: transfers[0]))
        XCTAssertIdentical(admission.next(), transfers[1])
        _ = admission.record(multiplexes: false, by: transfers[1])
        XCTAssertNil(admission.next())
        leave(transfers[0], &admission)
        XCTAssertNil(admission.next(), "one runs")
        leave(transfers[1], &admission)
        XCTAssertIdentical(admission.next(), transfers[2])
    }

    func testTheTimeToQueueIsProportionalToTheNumberOfOrigins() throws {
        func time(_ count: Int) throws -> Duration {
            let transfers = try (0..<count).map { try transfer("http://h\($0)/") }
            // The least of several times, because the machine may be busy.
            return (0..<3).map { _ in
                var admission = admission(perOrigin: 1, total: 1, queueLimit: count)
                defer { _ = admission.removeAll() }
                return ContinuousClock().measure {
                    for transfer in transfers { _ = admission.apply(.started(transfer)) }
                }
            }.min()!
        }
        XCTAssertLessThan(try time(12_000), max(try time(1200), .milliseconds(50)) * 40)
    }

    func testTheLimitShrinksWithoutDescriptorsAndGrowsLater() throws {
        var admission = admission(perOrigin: 8, total: 8)
        var transfers = try (1...8).map { try transfer("http://a/\($0)") }
        _ = start(transfers, &admission)
        let last = transfers.removeLast()
        admission.leave(last)
        last.apply(.requeued)
        XCTAssertEqual(described(admission.apply(.returned(last))), ["keep those in use"])
        XCTAssertNil(admission.next(), "seven run, and no more are to")
        leave(transfers[0], &admission)
        XCTAssertIdentical(admission.next(), last)
    }

    func testAWithdrawnTransferDoesNotBegin() throws {
        var admission = admission(perOrigin: 1)
        let transfers = try (1...3).map { try transfer("http://a/\($0)") }
        _ = start(transfers, &admission)
        _ = admission.apply(.withdrawn(transfers[1]))
        leave(transfers[0], &admission)
        XCTAssertIdentical(admission.next(), transfers[2])
        XCTAssertNil(admission.next())
    }

    // MARK: Helpers

    private func admission(perOrigin: Int, total: Int = 100, queueLimit: Int = 100) -> Admission {
        var limits = CurlTransport.Configuration.Pool()
        limits.maximumConnectionsPerOrigin = perOrigin
        limits.maximumConnections = total
        limits.queueLimit = queueLimit
        return Admission(limits, Gauges())
    }

    private func transfer(_ url: String) throws -> CurlTransfer {
        let transfer = CurlTransfer(try Request(.get, url), TransferOptions(), transport: transport, to: receiver)
        transfer.apply(.queued)
        return transfer
    }

    private func start(_ transfers: [CurlTransfer], _ admission: inout Admission) -> [String] {
        transfers.flatMap { transfer in
            let actions = admission.apply(.started(transfer))
            return described(actions.isEmpty ? admission.apply(.waits(transfer)) : actions)
        }
    }

    private func leave(_ transfer: CurlTransfer, _ admission: inout Admission) {
        _ = admission.apply(.left(transfer))
    }

    private func described(_ actions: [Admission.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .begin: "begin"
            case .launch: "launch"
            case .limitWaiting: "wait"
            case .refuse(_, let error): "refuse \(error.code)"
            case .keepConnections(let count): "keep \(count)"
            case .keepConnectionsInUse: "keep those in use"
            }
        }
    }
}

private final class NoReceiver: TransferReceiver {
    func prepare(_ request: inout Request) -> Adaptation { .ready }
    func willSend(_ request: Request) {}
    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}
}
