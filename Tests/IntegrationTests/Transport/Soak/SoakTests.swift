import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Sends requests without end to a server that harms a tenth of them. `FRESHET_SOAK` sets the length in seconds, and
/// `FRESHET_SOAK_SEED` repeats a run as far as the machine's timing allows.
final class SoakTests: TransportTestCase {
    func testUnderFaultsEveryRequestEndsOnceAndNoResourceRemains() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["FRESHET_SOAK"].flatMap { Double($0) } ?? 2
        let seed = environment["FRESHET_SOAK_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
        print("soak: seed \(seed), \(seconds) s")
        let ledger = SoakLedger(capacity: 100_000 + Int(seconds * 10_000))
        let server = try ScriptedServer(on: loop, script: ResponseScript(keepsRequests: false))
        server.route { request in
            guard let number = Int(request.path.dropFirst()) else { return ScriptedResponse(status: .badRequest) }
            ledger.arrived(number, mayRepeat: request.method.isIdempotent)
            let text = "answer \(number)"
            return SoakFault.of(number, seed: seed)?.response(text) ?? ScriptedResponse(body: text)
        }
        let loops = try (0..<2).map { try Loop(name: "soak \($0)") }
        let transports = loops.map { CurlTransport(loop: $0) }
        let clients = zip(loops, transports).enumerated().map { index, pair in
            SoakClient(on: pair.0, pair.1, url: server.url, ledger: ledger, seed: seed, number: index)
        }
        for client in clients { client.start(48) }
        Thread.sleep(forTimeInterval: seconds * 0.3)
        let warm = SoakMemory.resident
        let began = ledger.counts.sent
        Thread.sleep(forTimeInterval: seconds * 0.7)
        waitUntil("a request is answered") { ledger.counts.responded > 0 }
        let rate = Double(ledger.counts.sent - began) / (seconds * 0.7)
        for client in clients { XCTAssertTrue(client.finish(), "some did not end: \(ledger.open.prefix(10))") }
        let end = SoakMemory.resident
        for transport in transports { transport.shutdown() }
        for loop in loops { loop.shutdown() }
        server.close()
        print(
            "soak: \(ledger.counts), \(Int(rate)) a second, \(server.acceptedConnections) connections, "
                + "\(warm / 1024) KB after the warm-up, \(end / 1024) KB at the end")
        XCTAssertEqual(Array(ledger.failures.prefix(20)), [], "\(ledger.failures.count) in all, with seed \(seed)")
        XCTAssertEqual(ledger.open, [])
        XCTAssertGreaterThan(ledger.counts.responded, 0)
        if seconds >= 10, !Sanitizer.isOn { XCTAssertLessThan(end, warm + warm / 8 + 4 << 20) }
    }
}

/// The memory of this process.
enum SoakMemory {
    static var resident: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
    }
}
