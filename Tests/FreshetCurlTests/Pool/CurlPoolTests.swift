import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl
@testable import FreshetLoop

/// Tests transfers that end inside the command that starts them, without a connection.
final class CurlPoolTests: XCTestCase {
    private var loop: Loop!
    private var resources = 0

    override func setUpWithError() throws {
        resources = Resources.total
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
    }

    private func unreachable() -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .url("nonsense://:::")
        return CurlTransport(loop: loop, configuration: configuration)
    }

    private func waitForATurn() {
        let hasRun = DispatchSemaphore(value: 0)
        loop.execute { hasRun.signal() }
        XCTAssertEqual(hasRun.wait(timeout: .now() + 10), .success, "the loop runs nothing else")
    }

    func testARequestThatFailsAtOnceAndIsRepeatedLeavesTheLoopToOthers() throws {
        let failures = Locked(0)
        let subscription = unreachable().parts(try Request(.get, "http://a/"))
            .do(onError: { _ in failures.withLock { $0 += 1 } }).retry().subscribe { _ in }
        for _ in 0..<20 { waitForATurn() }
        XCTAssertGreaterThan(failures.withLock { $0 }, 3)
        subscription.dispose()
    }

    func testACachedFailureOfALookupExpiresWhileARequestIsRepeated() throws {
        let resolver = FailingResolver()
        var configuration = CurlTransport.Configuration()
        configuration.addresses.resolver = resolver
        configuration.addresses.failureTimeToLive = .milliseconds(5)
        let transport = CurlTransport(loop: loop, configuration: configuration)
        let subscription = transport.parts(try Request(.get, "http://a.invalid/")).retry().subscribe { _ in }
        for _ in 0..<3 { XCTAssertEqual(resolver.calls.wait(timeout: .now() + 10), .success, "no new lookup") }
        subscription.dispose()
        waitForATurn()
    }

    func testARequestThatIsRepeatedForEverDoesNotPreventTheEnd() throws {
        let transport = unreachable()
        let subscription = transport.parts(try Request(.get, "http://a/")).retry().subscribe { _ in }
        waitForATurn()
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [loop] in
            transport.shutdown()
            loop!.shutdown()
            hasEnded.signal()
        }
        XCTAssertEqual(hasEnded.wait(timeout: .now() + 10), .success)
        subscription.dispose()
    }

    func testARequestThatIsRepeatedSomeTimesWhileTheLoopEndsGetsItsError() throws {
        var configuration = CurlTransport.Configuration()
        configuration.addresses.resolver = SilentResolver()
        let transport = CurlTransport(loop: loop, configuration: configuration)
        let request = try Request(.get, "http://a.example/")
        let count = Locked(0)
        let code = Locked<HTTPClientError.Code?>(nil)
        let attempts = Observable.deferred {
            count.withLock { $0 += 1 }
            return transport.parts(request)
        }
        let subscription = attempts.retry(20).subscribe(onError: { error in
            code.withLock { $0 = (error as? HTTPClientError)?.code }
        })
        waitForATurn()
        loop.shutdown()
        XCTAssertEqual(count.withLock { $0 }, 20)
        XCTAssertEqual(code.withLock { $0 }, .cancelled)
        subscription.dispose()
    }

    /// The error of a request that ends before anything is sent.
    private func refusal(
        of request: Request, _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) throws -> HTTPClientError {
        var configuration = CurlTransport.Configuration()
        configure(&configuration)
        let hasEnded = DispatchSemaphore(value: 0)
        let error = Locked<HTTPClientError?>(nil)
        let transport = CurlTransport(loop: loop, configuration: configuration)
        let subscription = transport.parts(request).subscribe(onError: { failure in
            error.withLock { $0 = failure as? HTTPClientError }
            hasEnded.signal()
        })
        XCTAssertEqual(hasEnded.wait(timeout: .now() + 10), .success)
        subscription.dispose()
        return try XCTUnwrap(error.withLock { $0 })
    }

    func testARequestHeadThatLibcurlCannotSendIsRefusedBeforeAConnectionIsMade() throws {
        let long = String(repeating: "a", count: 960_000)
        var fields = HTTPFields()
        for number in 1...4 { fields[HTTPField.Name("X-Long-\(number)")!] = String(long.prefix(240_000)) }
        let sender: HTTPFields = [.userAgent: "x"]
        for (request, words) in [
            (
                try Request(.delete, "http://127.0.0.1:9/?\(long)"),
                "the URL's path and query are too long: 960002 bytes"
            ),
            (try Request(.get, "http://127.0.0.1:9/", headers: fields), "the header fields are too long"),
            (
                try Request(.get, "http://127.0.0.1:9/", headers: HTTPFields(fields + sender)),
                "the header fields are too long"
            ),
        ] {
            let error = try refusal(of: request)
            XCTAssertEqual(error.code, .invalidRequest)
            XCTAssertTrue(error.message.hasPrefix(words), error.message)
            XCTAssertTrue(error.isUnsent)
        }
    }

    /// Without the option, the request would go to a server that the caller does not trust.
    func testAnOptionThatLibcurlRefusesFailsTheRequest() throws {
        let roots = try refusal(of: Request(.get, "https://127.0.0.1:9/")) {
            $0.tls.caCertificates = .bytes(Array(repeating: 0, count: 8_000_001))
        }
        XCTAssertTrue(roots.message.hasPrefix("libcurl refuses the trust roots (curl 43: "), roots.message)
        XCTAssertTrue(roots.isUnsent)
        let key = "sha256//" + String(repeating: "A", count: 42) + "E="
        let pins = try refusal(of: Request(.get, "https://127.0.0.1:9/")) {
            $0.tls.pinnedKeys = ["*": Array(repeating: key, count: 160_000)]
        }
        XCTAssertTrue(pins.message.hasPrefix("libcurl refuses the pinned keys"), pins.message)
        XCTAssertTrue(pins.isUnsent)
    }

    func testATransferThatBeginsWhileTheLoopEndsIsCancelled() throws {
        let request = try Request(.get, "http://a/")
        let transport = CurlTransport(loop: loop)
        let ended = DispatchSemaphore(value: 0)
        let code = Locked<HTTPClientError.Code?>(nil)
        let loop = loop!
        let hasBegun = DispatchSemaphore(value: 0)
        let task = Task(executorPreference: loop.taskExecutor) {
            await withCheckedContinuation { continuation in
                _ = loop.atEnd { continuation.resume() }
                hasBegun.signal()
            }
            _ = transport.parts(request).subscribe(onError: { error in
                code.withLock { $0 = (error as? HTTPClientError)?.code }
                ended.signal()
            })
        }
        hasBegun.wait()
        loop.shutdown()
        XCTAssertEqual(ended.wait(timeout: .now() + 10), .success)
        XCTAssertEqual(code.withLock { $0 }, .cancelled)
        withExtendedLifetime(task) {}
    }
}

private final class FailingResolver: Resolver {
    let calls = DispatchSemaphore(value: 0)

    func addresses(of host: String) -> Single<[String]> {
        calls.signal()
        return .error(NameLookup.Failure(reason: "no such name"))
    }
}

private struct SilentResolver: Resolver {
    func addresses(of host: String) -> Single<[String]> { .never() }
}
