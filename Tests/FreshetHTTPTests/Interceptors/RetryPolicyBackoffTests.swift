import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests how long a ``RetryPolicy`` waits at most before each retry.
final class RetryPolicyBackoffTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The longest delays before the retries of these numbers.
    private func delays(_ numbers: [Int], _ change: (inout RetryPolicy) -> Void = { _ in }) throws -> [Duration] {
        var policy = RetryPolicy(limit: .max, random: { 1 })
        change(&policy)
        let request = try Request(.get, "http://a/")
        let failure = Attempt.Outcome.failure(HTTPClientError(.connect, phase: .connecting, message: "no"))
        let delays = Locked<[Duration]>([])
        for number in numbers {
            let attempt = Attempt(request: request, original: request, number: number, outcome: failure)
            policy.retry(attempt).subscribe(onSuccess: { result in
                if case .retryWithDelay(let delay) = result { delays.withLock { $0.append(delay) } }
            }).dispose()
        }
        return delays.withLock { $0 }
    }

    func testTheDelayDoublesUpToTheMaximum() throws {
        XCTAssertEqual(
            try delays([1, 2, 3, 6, 7, 8, 100]),
            [.milliseconds(500), .seconds(1), .seconds(2), .seconds(16), .seconds(30), .seconds(30), .seconds(30)])
    }

    func testAHugeBaseDelayDoesNotOverflow() throws {
        for base in [Duration.seconds(3e15), .seconds(Int.max)] {
            XCTAssertEqual(
                try delays([1, 6, 100]) { $0.baseDelay = base }, [.seconds(30), .seconds(30), .seconds(30)])
        }
        XCTAssertEqual(
            try delays([1, 100]) { ($0.baseDelay, $0.maximumDelay) = (.seconds(1 << 60), .seconds(1 << 61)) },
            [.seconds(1 << 60), .seconds(1 << 61)])
    }
}
