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

    // A caller that waited for its turn could find parts there, and would then deliver all that follow.
    func testAPauseReachesTheTransferWhileAnotherThreadDelivers() throws {
        let transport = PausedTransport()
        let client = HTTPClient(transport: transport, scheduler: TestScheduler(initialClock: 0))
        let isDelivering = DispatchSemaphore(value: 0)
        let isPausedMeanwhile = Locked(false)
        let subscription = client.bodyParts(try Request(.get, "http://a.example/"))
            .subscribe(onNext: { _ in
                isDelivering.signal()
                let result = transport.isPaused.wait(timeout: .now() + 10)
                isPausedMeanwhile.withLock { $0 = result == .success }
            })
        XCTAssertEqual(isDelivering.wait(timeout: .now() + 10), .success)
        (subscription as? any Pausable)?.pause()
        XCTAssertEqual(transport.hasEnded.wait(timeout: .now() + 20), .success)
        XCTAssertTrue(isPausedMeanwhile.withLock { $0 })
        subscription.dispose()
    }
}

/// Delivers a response on a thread of its own.
private final class PausedTransport: Transport {
    let isPaused = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        PausedTransfer(receiver, of: self)
    }
}

private final class PausedTransfer: Transfer {
    private let transport: PausedTransport
    private let receiver: Locked<(any TransferReceiver)?>

    init(_ receiver: any TransferReceiver, of transport: PausedTransport) {
        self.transport = transport
        self.receiver = Locked(receiver)
    }

    func start() {
        // The thread can release its closure after the test.
        Thread { [transport, receiver] in
            receiver.withLock { $0.take() }.map(Self.respond)
            transport.hasEnded.signal()
        }.start()
    }

    private static func respond(to receiver: any TransferReceiver) {
        receiver.receive(.head(HTTPResponse(status: .ok)))
        receiver.receive(.body([1]))
        receiver.receiveEnd(nil)
    }

    func dispose() {}
    func pause() { transport.isPaused.signal() }
    func resume() {}
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
