import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests requests of a process that has few descriptors left.
final class TransportDescriptorTests: NginxTestCase {
    func testWithoutDescriptorsRequestsWaitForOpenConnections() throws {
        let nginx = try nginx()
        let transport = transport {
            $0.pool.maximumConnectionsPerOrigin = 256
            $0.pool.maximumConnections = 256
        }
        XCTAssertEqual(try outcome(transport, "\(nginx.plain)/echo/warm").text, "GET /echo/warm")
        let base = nginx.plain
        withDescriptorLimit(leaving: 20) {
            let failures = Batch.run(on: loop, transport, count: 2000, concurrency: 200) { number in
                try Request(.get, "\(base)/echo/\(number)")
            } check: { number, outcome in
                outcome.text == "GET /echo/\(number)" ? nil : "\(number): \(outcome.error.debugDescription)"
            }
            XCTAssertEqual(failures.count, 0, failures.first ?? "")
        }
    }

    // Each host needs a connection of its own, so that the kept ones of the others have to be closed.
    func testWithoutDescriptorsRequestsToManyHostsWaitForClosedConnections() throws {
        let nginx = try nginx()
        let port = nginx.plainPort
        // First many requests wait. Then one to three wait while all others end one after the other.
        for (path, count) in [("echo", 1500), ("paced", 157), ("paced", 158), ("paced", 159)] {
            let transport = transport {
                $0.pool.maximumConnections = 500
                $0.addresses.overrides = ["*:\(port)": ["127.0.0.1"]]
            }
            XCTAssertNil(try outcome(transport, "\(nginx.plain)/echo/warm").error)
            withDescriptorLimit(leaving: 160) {
                let failures = Batch.run(on: loop, transport, count: count, concurrency: 500) { number in
                    try Request(.get, "http://h\(number).test:\(port)/\(path)/")
                } check: { number, outcome in
                    outcome.error.map { "\(number): \($0)" }
                }
                XCTAssertEqual(failures.count, 0, failures.first ?? "")
            }
        }
    }

    func testWithoutAnyDescriptorARequestFailsWithOverloaded() throws {
        let nginx = try nginx()
        let transport = transport()
        XCTAssertEqual(try outcome(transport, "\(nginx.plain)/echo/warm").text, "GET /echo/warm")
        try withDescriptorLimit(leaving: 0) {
            // The kept connection belongs to another origin. The client could close it to free its descriptor, so the blockers
            // take that one.
            let blocker = (0..<8).map { _ in open("/dev/null", O_RDONLY) }
            let outcome = try outcome(transport, "\(nginx.secure)/echo/x")
            XCTAssertTrue([.overloaded, .tls].contains(outcome.error?.code), "\(outcome.error.debugDescription)")
            blocker.filter { $0 >= 0 }.forEach { close($0) }
        }
        XCTAssertEqual(try outcome(transport, "\(nginx.plain)/echo/again").text, "GET /echo/again")
    }

    private func withDescriptorLimit(leaving free: Int, _ body: () throws -> Void) rethrows {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        getrlimit(resource, &before)
        // The system assigns the lowest free descriptor, so that the free numbers below the highest one count too.
        let probe = (0..<free).map { _ in dup(0) }
        var lowered = before
        lowered.rlim_cur = rlim_t(
            (probe.max()
                ?? {
                    let fd = dup(0); close(fd); return fd - 1
                }()) + 1)
        probe.forEach { close($0) }
        setrlimit(resource, &lowered)
        defer { setrlimit(resource, &before) }
        try body()
    }
}
