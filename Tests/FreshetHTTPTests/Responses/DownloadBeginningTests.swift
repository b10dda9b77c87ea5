import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a download that resumes is one request for its interceptors, so that it stays with the user who began it.
final class DownloadBeginningTests: DownloadTestCase {
    func testADownloadThatResumesBeginsOnce() throws {
        let client = client(interceptors: [Beginnings()])
        transport.enqueue(
            ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5),
            ScriptedResponse(
                status: .partialContent, headers: [.eTag: "\"v1\"", .contentRange: "bytes 5-10/11"], body: " world"),
            ScriptedResponse(body: "hello again"))
        for expected in ["hello world", "hello again"] {
            let (_, subscription) = startDownload(try Request(.get, "http://a/file"), by: client) { $0.resumes = 3 }
            scheduler.start()
            subscription.dispose()
            scheduler.start()
            XCTAssertEqual(content(), expected)
        }
        XCTAssertEqual(transport.requests.map { $0.headers[.beginning] }, ["1", "1", "2"])
    }
}

extension HTTPField.Name {
    fileprivate static let beginning = HTTPField.Name("X-Beginning")!
}

/// Counts the requests that begin, and sends the count.
private struct Beginnings: RequestInterceptor {
    private struct Number: RequestTag {
        let value: Int
    }

    private let count = Locked(0)

    func begin(_ request: inout Request) {
        if request.tags[Number.self] != nil { return }
        let next = count.withLock { count in
            count += 1
            return count
        }
        request.tags[Number.self] = Number(value: next)
    }

    func adapt(_ request: inout Request) -> Adaptation {
        request.headers[.beginning] = request.tags[Number.self].map { "\($0.value)" }
        return .ready
    }
}
