import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests bodies that are read while they are sent, to a server that another project has written.
final class TransportUploadOnNginxTests: TransportTestCase {
    private nonisolated(unsafe) static var started: Result<Nginx, any Error>?

    private func nginx() throws -> Nginx {
        if Self.started == nil { Self.started = Result { try Self.start() } }
        return try Self.started!.get()
    }

    private static func start() throws -> Nginx {
        let nginx = try Nginx()
        // The workers run as another user if the superuser starts nginx.
        try FileManager.default.createDirectory(
            at: nginx.directory.appendingPathComponent("root/files"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        return nginx
    }

    override class func tearDown() {
        started = nil
        super.tearDown()
    }

    private func put(
        _ bytes: [UInt8], as body: RequestBody, _ transport: CurlTransport, to url: String,
        _ version: TransferOptions.Version
    ) throws {
        let name = UUID().uuidString
        let outcome = try outcome(transport, "\(url)/files/\(name)", method: .put, body: body) { $0.version = version }
        XCTAssertEqual(outcome.head?.status, .created, "\(outcome)")
        XCTAssertEqual(outcome.sent.last?.bytes ?? 0, bytes.count)
        let stored = try nginx().directory.appendingPathComponent("root/files/\(name)")
        XCTAssertTrue(try Data(contentsOf: stored) == Data(bytes), "what is stored is not what was sent")
        try FileManager.default.removeItem(at: stored)
    }

    func testBodiesOfAllKindsAreStored() throws {
        let nginx = try nginx()
        let transport = transport { $0.tls.caFile = nginx.caFile }
        let bytes = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 8) }
        let pieces = stride(from: 0, to: bytes.count, by: 50_000).map { Array(bytes[$0..<$0 + 50_000]) }
        let file = nginx.directory.appendingPathComponent("upload")
        try Data(bytes).write(to: file)
        for (url, version) in [
            (nginx.plain, TransferOptions.Version.http1), (nginx.secure, .automatic), (nginx.http2, .http2),
        ] {
            try put(bytes, as: .bytes(bytes), transport, to: url, version)
            try put(bytes, as: .stream(.from(pieces), length: bytes.count), transport, to: url, version)
            try put(bytes, as: .stream(.from(pieces)), transport, to: url, version)
            try put(bytes, as: .file(file.path), transport, to: url, version)
        }
    }

    func testPiecesThatArriveSlowlyAreStored() throws {
        let nginx = try nginx()
        let transport = transport { $0.tls.caFile = nginx.caFile }
        for (url, version) in [
            (nginx.plain, TransferOptions.Version.http1), (nginx.secure, .automatic), (nginx.http2, .http2),
        ] {
            let stream = Observable<Int>.interval(.milliseconds(5), scheduler: LoopScheduler(loop)).take(20)
                .map { [UInt8](repeating: UInt8($0), count: 1000) }
            let bytes = (0..<20).flatMap { [UInt8](repeating: UInt8($0), count: 1000) }
            try put(bytes, as: .stream(stream), transport, to: url, version)
            try put(bytes, as: .stream(stream, length: 20_000), transport, to: url, version)
        }
    }

    func testARefusalOfTheBodyIsDelivered() throws {
        let nginx = try nginx()
        let transport = transport { $0.tls.caFile = nginx.caFile }
        for (url, version) in [
            (nginx.plain, TransferOptions.Version.http1), (nginx.secure, .automatic), (nginx.http2, .http2),
        ] {
            for length in [100_000_000, nil] {
                let endless = Observable<[UInt8]>.repeatElement([UInt8](repeating: 0, count: 10_000)).take(10_000)
                let outcome = try outcome(
                    transport, "\(url)/files/large", method: .put, body: .stream(endless, length: length)
                ) { $0.version = version }
                XCTAssertEqual(
                    outcome.head?.status, .contentTooLarge, "\(version), \(outcome.error.map { "\($0)" } ?? "")")
                XCTAssertTrue(outcome.isCompleted)
                XCTAssertEqual(try self.outcome(transport, "\(url)/echo/") { $0.version = version }.head?.status, .ok)
            }
        }
    }

    /// With libcurl 7.88.1 a body that waits could keep the processor busy over HTTP/2.
    func testAWaitingBodyUsesNoProcessorTime() throws {
        let nginx = try nginx()
        let transport = transport { $0.tls.caFile = nginx.caFile }
        for (url, version) in [(nginx.plain, TransferOptions.Version.http1), (nginx.http2, .http2)] {
            let pause = Observable<Int>.timer(.seconds(2), scheduler: LoopScheduler(loop)).map { _ in [UInt8(2)] }
            let before = Self.processorTime()
            try put([1, 2], as: .stream(Observable<[UInt8]>.just([1]).concat(pause)), transport, to: url, version)
            XCTAssertLessThan(Self.processorTime() - before, 0.7)
        }
    }

    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
