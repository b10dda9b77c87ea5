import FreshetCore
import HTTPTypes
import XCTest

@testable import FreshetHTTP

/// Tests the life of a download without a file, a server and a clock.
final class DownloadStateMachineTests: XCTestCase {
    private var machine: DownloadStateMachine!
    private let request = try! Request(.get, "http://a/file")
    private let lost = HTTPClientError(.connectionLost, phase: .receiving, message: "lost")
    private let megabyte = 1 << 20

    /// Starts a download whose file is open.
    private func start(resumes: Int = 0, at offset: Int? = nil, of total: Int = 10) -> [String] {
        machine = DownloadStateMachine(
            request, to: "file", plan: DownloadPlan(statusCodes: 200..<300, isResumable: true),
            maxResumes: resumes)
        XCTAssertEqual(take(.start), ["open"])
        let record = DownloadRecord(address: 0, validator: .tag("\"v1\""), total: total)
        return take(.opened(offset.map { DownloadPlan.Point(offset: $0, record: record) }, part: "file.part"))
    }

    private func take(_ input: DownloadStateMachine.Input, timeLeft: Duration? = nil) -> [String] {
        machine.apply(input, timeLeft: timeLeft).map(\.name)
    }

    private func head(_ status: Int, length: Int = 10, range: String? = nil, tag: String? = "\"v1\"") -> [String] {
        var fields: HTTPFields = [.contentLength: "\(length)"]
        (fields[.contentRange], fields[.eTag]) = (range, tag)
        let head = HTTPResponse(status: .init(code: status), headerFields: fields)
        return take(.received(.next(.head(head, url: request.url))))
    }

    private func body(_ count: Int) -> [String] {
        take(.received(.next(.body([UInt8](repeating: 0, count: count)))))
    }

    func testAFileIsBegunWrittenAndMovedIntoItsPlace() {
        XCTAssertEqual(start(), ["send"])
        XCTAssertEqual(head(200), ["head 200", "progress 0/10", "begin \"v1\""])
        XCTAssertEqual(body(4), ["progress 4/10"])
        XCTAssertEqual(take(.worked), [])
        XCTAssertEqual(body(6), ["progress 10/10"])
        XCTAssertEqual(take(.received(.completed)), ["write 10"])
        XCTAssertEqual(take(.worked), ["finish"])
        XCTAssertEqual(take(.worked), ["cancel", "finished 10", "complete"])
        XCTAssertEqual(take(.dispose), [])
    }

    func testAPartIsContinuedAtItsEnd() {
        XCTAssertEqual(start(at: 4), ["send bytes=4- \"v1\""])
        XCTAssertEqual(head(206, length: 6, range: "bytes 4-9/10"), ["head 206", "progress 4/10"])
        XCTAssertEqual(body(6), ["progress 10/10"])
        XCTAssertEqual(take(.received(.completed)), ["write 6"])
        XCTAssertEqual(take(.worked), ["finish"])
    }

    func testAPartThatHasAllItsBytesIsContinuedAtItsNewEnd() {
        _ = start(at: 4)
        XCTAssertEqual(head(206, length: 2, range: "bytes 4-5/10"), ["head 206", "progress 4/10"])
        XCTAssertEqual(body(2), ["progress 6/10"])
        XCTAssertEqual(take(.received(.completed)), ["write 2"])
        XCTAssertEqual(take(.worked), ["send bytes=6- \"v1\""])
    }

    func testAPartThatIsTheWholeIsMovedIntoItsPlace() {
        _ = start(at: 10)
        XCTAssertEqual(head(416, range: "bytes */10"), ["head 416", "cancel", "progress 10/10", "finish"])
        XCTAssertEqual(take(.worked), ["cancel", "finished 10", "complete"])
    }

    func testAResponseThatIgnoresTheRangeBeginsTheFileAnew() {
        _ = start(at: 4)
        XCTAssertEqual(head(200), ["head 200", "progress 0/10", "begin \"v1\""])
    }

    func testAPartOfAnotherVersionIsRequestedAsAWhole() {
        _ = start(at: 4)
        let step = machine.step
        XCTAssertEqual(
            head(206, length: 6, range: "bytes 4-9/10", tag: "\"v2\""), ["head 206", "cancel", "send"])
        XCTAssertFalse(machine.expects(step))
        XCTAssertEqual(head(200, tag: "\"v2\""), ["head 200", "progress 0/10", "begin \"v2\""])
    }

    func testAPartThatIsLongerThanItsRangeIsEmptiedBeforeTheNextResponse() {
        _ = start(at: 4)
        _ = head(206, length: 2, range: "bytes 4-5/10")
        XCTAssertEqual(body(3), ["cancel", "begin -", "send"])
        XCTAssertEqual(head(200), ["head 200", "progress 0/10"])
        XCTAssertEqual(take(.worked), ["begin \"v1\""])
    }

    func testAPartThatIsLongerThanItsRangeIsEmptiedEvenIfTheNextResponseIsRefused() {
        _ = start(at: 4, of: 2_000_000)
        _ = head(206, length: 999_996, range: "bytes 4-999999/2000000")
        XCTAssertEqual(body(600_000), ["progress 600004/2000000", "write 600000"])
        XCTAssertEqual(body(600_000), ["cancel", "send"])
        XCTAssertEqual(head(404), ["head 404"])
        XCTAssertEqual(take(.worked), ["begin -"])
        XCTAssertEqual(take(.received(.completed)), ["cancel"])
        XCTAssertEqual(take(.worked), ["close 0"])
    }

    func testALostConnectionIsResumedAfterTheBytesAreWritten() {
        _ = start(resumes: 1)
        _ = head(200)
        _ = body(4)
        XCTAssertEqual(take(.received(.error(lost))), [])
        XCTAssertEqual(take(.worked), ["write 4"])
        XCTAssertEqual(take(.worked), ["resuming at 4", "wait"])
        XCTAssertEqual(take(.waited), ["send bytes=4- \"v1\""])
        XCTAssertEqual(take(.received(.error(lost))), ["cancel", "close 0"])
        XCTAssertEqual(take(.worked), ["fail connection_lost"])
    }

    func testAConnectionThatIsLostBeforeTheFirstByteIsFollowedByAWholeRequest() {
        _ = start(resumes: 1)
        _ = head(200)
        _ = take(.received(.error(lost)))
        XCTAssertEqual(take(.worked), ["resuming at 0", "wait"])
        XCTAssertEqual(take(.waited), ["send"])
    }

    func testABodyThatIsTooShortIsALostConnection() {
        _ = start()
        _ = head(200)
        _ = take(.worked)
        _ = body(4)
        XCTAssertEqual(take(.received(.completed)), ["write 4"])
        XCTAssertEqual(take(.worked), ["cancel", "close 0"])
        XCTAssertEqual(take(.worked), ["fail connection_lost"])
    }

    func testADelayThatEndsAfterTheTimeoutIsNotBegun() {
        for (timeLeft, actions) in [(200, ["cancel", "close 0"]), (500, ["resuming at 0", "wait"])] {
            _ = start(resumes: 1)
            XCTAssertEqual(take(.received(.error(lost)), timeLeft: .milliseconds(timeLeft)), actions)
        }
        XCTAssertEqual(take(.waited, timeLeft: .zero), ["cancel", "close 0"])
        XCTAssertEqual(take(.worked), ["fail timeout"])
    }

    func testARefusedResponseIsReadAndLeavesTheFileAlone() {
        _ = start(at: 4)
        XCTAssertEqual(head(404), ["head 404"])
        XCTAssertEqual(body(3), [])
        XCTAssertEqual(take(.received(.completed)), ["cancel", "close 0"])
        guard case .fail(let error as HTTPClientError)? = machine.apply(.worked).last else { return XCTFail() }
        XCTAssertEqual(error.code, .status)
        XCTAssertEqual(error.response?.body, [0, 0, 0])
        XCTAssertTrue(error.message.hasSuffix("the part of 4 bytes is kept in file.part"), error.message)
    }

    func testTheTransferIsHeldWhileTheSubscriberPausesOrTheDiskIsBehind() {
        _ = start()
        _ = head(200, length: 100 * megabyte)
        XCTAssertEqual(take(.paused(true)), ["hold true"])
        XCTAssertEqual(body(5 * megabyte), ["progress 5242880/104857600"])
        XCTAssertEqual(take(.paused(false)), [])
        XCTAssertEqual(take(.worked), ["write 5242880", "hold false"])
        XCTAssertEqual(body(5 * megabyte), ["progress 10485760/104857600", "hold true"])
        XCTAssertEqual(take(.paused(true)), [])
        XCTAssertEqual(take(.worked), ["write 5242880"])
        XCTAssertEqual(take(.paused(false)), ["hold false"])
    }

    func testADisposedDownloadClosesItsFileAfterTheRunningWork() {
        _ = start()
        _ = head(200)
        _ = take(.worked)
        _ = body(megabyte)
        _ = body(7)
        let step = machine.step
        XCTAssertEqual(take(.dispose), ["cancel"])
        XCTAssertFalse(machine.expects(step))
        XCTAssertEqual(take(.worked), ["close 7"])
        XCTAssertEqual(take(.worked), [])
    }

    func testNothingIsWrittenAfterAWriteThatHasFailed() {
        _ = start()
        _ = head(200, length: 100 * megabyte)
        _ = take(.worked)
        _ = body(megabyte)
        _ = body(7)
        XCTAssertEqual(take(.workFailed(HTTPClientError.file("file", "written", 28))), ["cancel", "close 0"])
        XCTAssertEqual(take(.worked), ["fail overloaded"])
    }
}

extension DownloadStateMachine.Action {
    fileprivate var name: String {
        switch self {
        case .open: "open"
        case .begin(let record): "begin \(record?.validator.field ?? "-")"
        case .write(let pieces): "write \(pieces.joined().count)"
        case .finish: "finish"
        case .close(let rest): "close \(rest.joined().count)"
        case .send(let request):
            (["send"] + [request.headers[.range], request.headers[.ifRange]].compactMap { $0 }).joined(separator: " ")
        case .cancel: "cancel"
        case .hold(let isHeld): "hold \(isHeld)"
        case .wait: "wait"
        case .emit(.request(.head(let head, _))): "head \(head.status.code)"
        case .emit(.request): "event"
        case .emit(.progress(let progress)): "progress \(progress.received)/\(progress.total ?? -1)"
        case .emit(.resuming(let offset, _, _)): "resuming at \(offset)"
        case .emit(.finished(let file)): "finished \(file.size)"
        case .complete: "complete"
        case .fail(let error): "fail \((error as? HTTPClientError)?.code.rawValue ?? "\(error)")"
        }
    }
}
