import Dispatch
import Foundation
import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests which thread delivers the parts of a response that another thread resumes.
final class ResumeOnAnotherThreadTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    // A caller that resumes a busy response would otherwise deliver it for ever, and nothing would slow the server down.
    func testAResumeDoesNotDeliverThePartsOfAnotherThread() throws {
        let transport = ResumedTransport()
        let client = HTTPClient(transport: transport, scheduler: TestScheduler(initialClock: 0))
        let isMainThread = Locked<[Bool]>([])
        let subscription = client.bodyParts(try Request(.get, "http://a.example/"))
            .subscribe(onNext: { _ in isMainThread.withLock { $0.append(Thread.isMainThread) } })
        let pausable = try XCTUnwrap(subscription as? any Pausable)
        pausable.pause()
        pausable.resume()
        XCTAssertEqual(isMainThread.withLock { $0 }, [false])
        subscription.dispose()
    }
}

/// Delivers a part of the body on a thread of its own while it is resumed.
private final class ResumedTransport: Transport {
    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer { ResumedTransfer(receiver) }
}

private final class ResumedTransfer: Transfer {
    private let receiver: any TransferReceiver

    init(_ receiver: any TransferReceiver) { self.receiver = receiver }

    func start() { receiver.receive(.head(HTTPResponse(status: .ok))) }
    func dispose() {}
    func pause() {}

    func resume() {
        let isDelivered = DispatchSemaphore(value: 0)
        // The thread can release its closure after the test.
        let receiver = Locked<(any TransferReceiver)?>(receiver)
        Thread {
            receiver.withLock { $0.take() }?.receive(.body([1]))
            isDelivered.signal()
        }.start()
        isDelivered.wait()
    }
}
