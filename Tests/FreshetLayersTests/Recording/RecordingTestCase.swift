import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLayers
import FreshetTesting
import HTTPTypes
import XCTest

/// A test of a recording in a file of its own.
class RecordingTestCase: XCTestCase {
    private var resources = 0
    private(set) var path = ""

    override func setUp() {
        resources = Resources.total
        path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString).har"
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: path)
        XCTAssertEqual(Resources.total, resources)
    }
}

/// A client with a recording, and a server that a test scripts.
final class RecordingBench {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let server: StubTransport
    let client: HTTPClient
    let times = Locked<[Double]>([])

    init(_ path: String, _ mode: HTTPRecording.Mode, speed: Double = 1) throws {
        server = StubTransport(scheduler: scheduler)
        let recording = try HTTPRecording(
            at: path, mode: mode, speed: speed, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
    }

    func send(_ request: Request) -> Result<Response, any Error>? {
        let outcome = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.send(request).subscribe { event in outcome.withLock { $0 = event } }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    func get(_ path: String) throws -> String { text(try Request(.get, "https://api.example\(path)")) }

    /// The status and the body of the response, or the code of the error.
    func text(_ request: Request) -> String {
        switch send(request) {
        case .success(let response)?: return "\(response.status.code) \(response.text)"
        case .failure(let error)?: return (error as? HTTPClientError)?.code.rawValue ?? "\(error)"
        case nil: return "nothing"
        }
    }
}
