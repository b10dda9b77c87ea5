import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// The result of a transfer.
struct Outcome: Sendable {
    struct Progress: Sendable, Hashable {
        var bytes: Int
        var total: Int?
    }

    var phases: [TransferPhase] = []
    var sent: [Progress] = []
    var informational: [HTTPResponse] = []
    var head: HTTPResponse?
    var body: [UInt8] = []
    var trailers: HTTPFields?
    var error: HTTPClientError?
    var isCompleted = false

    var text: String { String(decoding: body, as: UTF8.self) }
    /// For each connection that was used, whether it was a kept one.
    var reuses: [Bool] {
        phases.compactMap { phase in
            if case .connected(_, let isReused) = phase { isReused } else { nil }
        }
    }
}

/// A test with a loop. It fails if resources or descriptors are left at its end.
class TransportTestCase: ResourceTestCase {
    private(set) var loop: Loop!
    private var transports: [CurlTransport] = []
    private var descriptorsBefore: [String] = []

    override class func setUp() {
        super.setUp()
        // libuv opens two descriptors with the first loop of a process and keeps them. So do Foundation's waits.
        try? Loop().shutdown()
        _ = XCTWaiter.wait(for: [XCTestExpectation(description: "nothing")], timeout: 0.001)
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        descriptorsBefore = Self.descriptors()
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        for transport in transports { transport.shutdown() }
        transports = []
        loop.shutdown()
        loop = nil
        // A lookup for which nobody waits any more can't be stopped, and has a socket until it ends.
        let deadline = Date().addingTimeInterval(20)
        while !descriptorsLeft.isEmpty, Date() < deadline { usleep(1000) }
        XCTAssertEqual(descriptorsLeft, [])
    }

    /// The descriptors that this test has opened. The ones that an earlier test was still closing may be gone.
    private var descriptorsLeft: [String] {
        var left = Self.descriptors()
        for descriptor in descriptorsBefore {
            if let index = left.firstIndex(of: descriptor) { left.remove(at: index) }
        }
        return left
    }

    func transport(_ configure: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configure(&configuration)
        let transport = CurlTransport(loop: loop, configuration: configuration)
        transports.append(transport)
        return transport
    }

    /// Sends `request` and waits for the end of its response.
    func outcome(_ transport: CurlTransport, _ request: Request) -> Outcome {
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = transport.parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "no end in 30 s")
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    func outcome(
        _ transport: CurlTransport, _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:],
        body: RequestBody = .empty, options: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Outcome {
        var request = try Request(method, url, headers: headers, body: body)
        var transfer = TransferOptions()
        options(&transfer)
        request.transfer = transfer
        return outcome(transport, request)
    }

    /// The open descriptors of the process, by kind, so that the message about a leak names it.
    static func descriptors() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { !$0.contains("timerfd") }
            .map { $0.hasPrefix("anon") ? $0 : String($0.prefix { $0 != "[" }) }.sorted()
    }
}

extension Outcome {
    mutating func record(_ event: Event<ResponsePart>) {
        switch event {
        case .next(.phase(let phase)): phases.append(phase)
        case .next(.sent(let bytes, let total)): sent.append(Progress(bytes: bytes, total: total))
        case .next(.informational(let head)): informational.append(head)
        case .next(.head(let head)): self.head = head
        case .next(.body(let bytes)): body += bytes
        case .next(.trailers(let fields)): trailers = fields
        case .error(let error): self.error = error as? HTTPClientError
        case .completed: isCompleted = true
        }
    }
}
