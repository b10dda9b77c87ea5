import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Tests a layer that a user has written, which implements the transfer's receiver itself.
final class OwnLayerTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private func lines(_ layers: (Journal) -> [any TransportLayer]) -> [String] {
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/there"]), ScriptedResponse(body: "there"))
        let journal = Journal()
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: layers(journal), interceptors: [Language()])
        let subscription = client.get("http://a/here").subscribe()
        scheduler.start()
        subscription.dispose()
        return journal.lines
    }

    func testALayerReceivesEachRequestOfARedirect() {
        XCTAssertEqual(
            lines { [JournalLayer(name: "", journal: $0)] },
            ["/here in en", "302", "end", "/there in en", "200", "end"])
    }

    func testTheFirstLayerIsTheOutermost() {
        let lines = lines { [JournalLayer(name: "outer ", journal: $0), JournalLayer(name: "inner ", journal: $0)] }
        // Events from the network pass the inner layer first.
        XCTAssertEqual(lines.prefix(4), ["inner /here in en", "outer /here in en", "inner 302", "outer 302"])
    }

    func testADerivedClientKeepsTheLayersUnlessOthersAreGiven() throws {
        let server = StubTransport(scheduler: scheduler)
        server.route { _ in ScriptedResponse() }
        let journal = Journal()
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [JournalLayer(name: "", journal: journal)])
        for derived in [client.with(interceptors: []), client.with(layers: [])] {
            derived.get("http://a/").subscribe().dispose()
        }
        XCTAssertEqual(journal.lines, ["/ in no language", "200", "end"])
    }
}

private struct Language: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        request.headers[.acceptLanguage] = "en"
        return .ready
    }
}

// Unchecked, because the lock guards its state.
private final class Journal: @unchecked Sendable {
    private let mutex = NSLock()
    private var written: [String] = []

    var lines: [String] { mutex.withLock { written } }

    func write(_ line: String) { mutex.withLock { written.append(line) } }
}

/// Records all events that pass, and changes none.
private struct JournalLayer: TransportLayer {
    let name: String
    let journal: Journal

    func wrapping(_ transport: any Transport) -> any Transport {
        JournalTransport(below: transport, write: { [name, journal] in journal.write(name + $0) })
    }
}

private struct JournalTransport: Transport {
    let below: any Transport
    let write: @Sendable (String) -> Void

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        below.transfer(request, to: JournalReceiver(above: receiver, write: write))
    }
}

private final class JournalReceiver: ForwardingReceiver {
    let above: any TransferReceiver
    private let write: @Sendable (String) -> Void

    init(above: any TransferReceiver, write: @escaping @Sendable (String) -> Void) {
        self.above = above
        self.write = write
    }

    func willSend(_ request: Request) {
        write("\(request.url.path) in \(request.headers[.acceptLanguage] ?? "no language")")
        above.willSend(request)
    }

    func receive(_ part: consuming ResponsePart) {
        if case .head(let head) = part { write("\(head.status.code)") }
        above.receive(part)
    }

    func receiveEnd(_ failure: (any Error)?) {
        write("end")
        above.receiveEnd(failure)
    }
}
