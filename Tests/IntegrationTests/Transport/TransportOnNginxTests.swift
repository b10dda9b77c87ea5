import Foundation
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class TransportOnNginxTests: NginxTestCase {
    private func trusting(_ nginx: Nginx) -> CurlTransport {
        transport { $0.tls.caFile = nginx.caFile }
    }

    func testAGetOverPlainHTTPSucceeds() throws {
        let nginx = try nginx()
        let outcome = try outcome(transport(), "\(nginx.plain)/echo/1?q=2")
        XCTAssertNil(outcome.error)
        XCTAssertTrue(outcome.isCompleted)
        XCTAssertEqual(outcome.head?.status.code, 200)
        XCTAssertEqual(outcome.head?.status.reasonPhrase, "OK")
        XCTAssertEqual(outcome.head?.headerFields[.contentType], "text/plain")
        XCTAssertEqual(outcome.text, "GET /echo/1?q=2")
        XCTAssertEqual(outcome.phases.count, 4)
        XCTAssertEqual(
            outcome.phases.prefix(3),
            [
                .admitted, .resolved(host: "127.0.0.1", addresses: ["127.0.0.1"]),
                .connected(address: "127.0.0.1:\(nginx.plainPort)", reused: false),
            ])
    }

    func testHTTP2IsUsedWhereTLSOffersIt() throws {
        let nginx = try nginx()
        let transport = trusting(nginx)
        let automatic = try outcome(transport, "\(nginx.http2)/protocol")
        XCTAssertEqual(automatic.text, "HTTP/2.0")
        XCTAssertTrue(automatic.phases.contains(.secured(protocol: "h2")))
        XCTAssertEqual(try outcome(transport, "\(nginx.http2)/protocol") { $0.version = .http1 }.text, "HTTP/1.1")
        XCTAssertEqual(try outcome(transport, "\(nginx.http2)/protocol") { $0.version = .http2 }.text, "HTTP/2.0")
        XCTAssertEqual(try outcome(transport, "\(nginx.secure)/protocol").text, "HTTP/1.1")
    }

    func testOverHTTP2TheUserAgentAndHeadersAreSent() throws {
        let nginx = try nginx()
        let headers: HTTPFields = [.authorization: "Bearer token", .accept: "text/plain"]
        let sender = HTTPClient.userAgent + (HeadsAsTargets.isActiveOverHTTP2 ? " HTTP/2" : "")
        let requests: [(HTTPRequest.Method, RequestBody)] = [(.get, .empty), (.delete, .empty), (.post, .text("body"))]
        for (method, body) in requests {
            let response = outcome(
                trusting(nginx), try Request(method, "\(nginx.http2)/sender", headers: headers, body: body))
            XCTAssertEqual(response.text, "\(sender), Bearer token, text/plain, localhost")
        }
    }

    func testUnavailableHTTP2IsAnErrorBeforeAnythingIsSent() throws {
        let nginx = try nginx()
        let transport = trusting(nginx)
        for _ in 0..<2 {
            let refused = try outcome(transport, "\(nginx.secure)/echo/x", method: .post) { $0.version = .http2 }
            XCTAssertEqual(refused.error?.code, .protocol)
            XCTAssertEqual(refused.error?.isUnsent, true)
            // This makes a kept connection without HTTP/2.
            XCTAssertEqual(try outcome(transport, "\(nginx.secure)/protocol").text, "HTTP/1.1")
        }
        XCTAssertEqual(try outcome(transport, "\(nginx.plain)/") { $0.version = .http2 }.error?.code, .invalidRequest)
    }

    private func assertTenThousand(_ base: String, _ transport: CurlTransport, _ version: TransferOptions.Version) {
        let failures = Batch.run(on: loop, transport, count: 10_000, concurrency: 64) { number in
            var request = try Request(.get, "\(base)/echo/\(number)")
            var options = TransferOptions()
            options.version = version
            request.transfer = options
            return request
        } check: { number, outcome in
            outcome.isCompleted && outcome.text == "GET /echo/\(number)"
                ? nil : "\(number): \(outcome.error.debugDescription) \(outcome.text)"
        }
        XCTAssertEqual(failures.count, 0, failures.first ?? "")
    }

    func testTenThousandRequestsOverPlainHTTPSucceed() throws {
        let nginx = try nginx()
        assertTenThousand(nginx.plain, transport(), .automatic)
    }

    func testTenThousandRequestsOverTLSSucceed() throws {
        let nginx = try nginx()
        assertTenThousand(nginx.secure, trusting(nginx), .http1)
    }

    func testTenThousandRequestsOverHTTP2Succeed() throws {
        let nginx = try nginx()
        assertTenThousand(nginx.http2, trusting(nginx), .http2)
    }

    func testManyRequestsOpenNoMoreConnectionsThanRunAtOnce() throws {
        let transport = transport {
            $0.pool.maximumConnections = 512
            $0.pool.maximumConnectionsPerOrigin = 512
        }
        let url = "\(try nginx().plain)/echo"
        let opened = Locked(0)
        let failures = Batch.run(on: loop, transport, count: 6000, concurrency: 512) { _ in
            try Request(.get, url)
        } check: { number, outcome in
            for case .connected(_, reused: false) in outcome.phases { opened.withLock { $0 += 1 } }
            return outcome.error.map { "\(number): \($0)" }
        }
        XCTAssertEqual(failures, [])
        XCTAssertEqual(opened.withLock { $0 }, 512)
    }

    func testACertificateOfAnUnknownAuthorityIsRefused() throws {
        let nginx = try nginx()
        let refused = try outcome(transport(), "\(nginx.secure)/")
        XCTAssertEqual(refused.error?.code, .tls)
        XCTAssertEqual(refused.error?.phase, .securing)
        XCTAssertEqual(refused.error?.isUnsent, true)
        XCTAssertEqual(refused.error?.origin, nginx.secure)
        let missing = try outcome(transport { $0.tls.caFile = "/nonexistent.pem" }, "\(nginx.secure)/")
        XCTAssertEqual(missing.error?.code, .tls)
    }

    func testHeadersAreSentUnchanged() throws {
        let nginx = try nginx()
        let headers: HTTPFields = [HTTPField.Name("X-Test")!: "a: b", HTTPField.Name("X-Empty")!: ""]
        let outcome = try outcome(transport(), "\(nginx.plain)/header", headers: headers)
        XCTAssertEqual(outcome.text, "[a: b][][127.0.0.1:\(nginx.plainPort)][][][][gzip, deflate, br, zstd]")
        let body = RequestBody.bytes([UInt8](repeating: 7, count: 2 << 20))
        let large = try self.outcome(transport(), "\(nginx.plain)/header", method: .put, body: body)
        XCTAssertEqual(large.text, "[][][127.0.0.1:\(nginx.plainPort)][2097152][][][gzip, deflate, br, zstd]")
        let again = try self.outcome(transport(), "\(nginx.plain)/header", method: .post)
        XCTAssertTrue(again.text.contains("[0]"), again.text)
    }

    func testGzipIsRequestedAndDecoded() throws {
        let nginx = try nginx()
        let text = String(repeating: "fresh water ", count: 1000)
        try text.write(to: nginx.directory.appendingPathComponent("root/text"), atomically: true, encoding: .utf8)
        let transport = transport()
        let decoded = try outcome(transport, "\(nginx.plain)/gzip")
        XCTAssertEqual(decoded.text, text)
        XCTAssertNil(decoded.head?.headerFields[.contentEncoding])
        XCTAssertNil(decoded.head?.headerFields[.contentLength])
        let raw = try outcome(transport, "\(nginx.plain)/gzip", headers: [.acceptEncoding: "gzip"])
        XCTAssertEqual(raw.head?.headerFields[.contentEncoding], "gzip")
        XCTAssertEqual(raw.body.prefix(2), [0x1F, 0x8B])
        XCTAssertEqual(try outcome(transport, "\(nginx.plain)/gzip").text, text)
    }

    func testTrailersAndCodingsAreTheSameOverHTTP2() throws {
        let nginx = try nginx()
        let text = String(repeating: "fresh water ", count: 10_000)
        try text.write(to: nginx.directory.appendingPathComponent("root/text"), atomically: true, encoding: .utf8)
        let transport = trusting(nginx)
        for base in [nginx.plain, nginx.http2] {
            let trailed = try outcome(transport, "\(base)/trailed")
            XCTAssertNil(trailed.error)
            XCTAssertEqual(trailed.trailers?[HTTPField.Name("X-Check")!], "ok", base)
            XCTAssertNil(trailed.head?.headerFields[HTTPField.Name("X-Check")!])
            XCTAssertEqual(trailed.text, text)
            let decoded = try outcome(transport, "\(base)/gzip")
            XCTAssertNil(decoded.error)
            XCTAssertEqual(decoded.text, text)
        }
    }

    /// The consumer takes 100 ms for each of the first 64 MiB. The server keeps the bytes that the consumer has not taken.
    func testASlowConsumerOfAGibibyteDoesNotFillTheMemory() throws {
        let nginx = try nginx()
        try nginx.makeFile("gibibyte", size: 1 << 30)
        let request = try Request(.get, "\(nginx.plain)/gibibyte")
        let scheduler = LoopScheduler(loop)
        let state = Locked((bytes: 0, held: 0, peak: 0))
        let subscription = SerialDisposable()
        let done = DispatchSemaphore(value: 0)
        _ = try outcome(transport(), "\(nginx.plain)/echo/warm")
        let before = Self.residentBytes()
        let source = transport().parts(request)
        loop.execute {
            subscription.disposable = source.subscribe { event in
                if event.isStopEvent {
                    done.signal()
                    return
                }
                guard case .next(.body(let bytes)) = event else { return }
                let holds = state.withLock { state in
                    let mebibyte = state.bytes >> 20
                    state.bytes += bytes.count
                    guard state.bytes >> 20 != mebibyte else { return false }
                    state.peak = max(state.peak, Self.residentBytes())
                    guard mebibyte < 64 else { return false }
                    state.held += 1
                    return true
                }
                guard holds else { return }
                subscription.pause()
                _ = scheduler.scheduleRelative((), dueTime: .milliseconds(100)) { _ in
                    subscription.resume()
                    return Disposables.create()
                }
            }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 120), .success)
        subscription.dispose()
        let (bytes, held, peak) = state.withLock { $0 }
        XCTAssertEqual(bytes, 1 << 30)
        XCTAssertEqual(held, 64)
        XCTAssertLessThan(peak - before, Sanitizer.memoryBound)
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
