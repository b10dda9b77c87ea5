import Dispatch
import Foundation
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests on which thread a stream delivers what a connection sends on a thread of its own.
final class StreamOnThreadsTests: EventSourceTestCase {
    private let log = Locked<[String]>([])

    func testASubscribingThreadDoesNotTakeOverWhatAConnectionDelivers() throws {
        let client = HTTPClient(transport: TransportOnThread(), scheduler: bench.scheduler)
        let subscription = EventSource(try Request(.get, "http://a/"), by: client).asObservable()
            .subscribe(onNext: { [log] event in
                log.withLock { $0.append("\(event.data) \(Thread.isMainThread)") }
            })
        XCTAssertEqual(log.withLock { $0 }, (0..<100).map { "\($0) false" })
        subscription.dispose()
        bench.scheduler.start()
    }

    /// The thread of a timer works while another thread delivers pieces.
    func testATimerLeavesPiecesToATurnAndTheirConnectionPausesMeanwhile() throws {
        let scheduler = InterceptedScheduler(bench.scheduler)
        let pieces = PublishSubject<[UInt8]>()
        let transport = bench.transport
        transport.enqueue(.streaming(pieces.asObservable(), headers: [.contentType: "text/event-stream"]))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        bench.settings.idleTimeout = .seconds(10)
        let source = EventSource(try Request(.get, "http://a/"), by: client, settings: bench.settings)
        let subscription = source.asObservable()
            .subscribe(onNext: { [log] event in
                log.withLock { $0.append("\(event.data) \(scheduler.isInTurn)") }
            })
        bench.scheduler.advanceTo(5000)
        pieces.onNext(Array("data: first\n\n".utf8))
        // The limit has 5 s left, so that its timer is set again.
        scheduler.beforeTimer.withLock {
            $0 = {
                onThread { for number in 0..<40 { pieces.onNext(Array("data: \(number)\n\n".utf8)) } }
                XCTAssertEqual(transport.paused.count, 1)
            }
        }
        bench.scheduler.advanceTo(10_000)
        bench.scheduler.advanceTo(10_001)
        XCTAssertEqual(log.withLock { $0 }, ["first false"] + (0..<40).map { "\($0) true" })
        subscription.dispose()
        bench.scheduler.start()
    }
}

/// Runs `work` on another thread, and waits for its end.
private func onThread(_ work: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    Thread {
        work()
        end.signal()
    }.start()
    end.wait()
}

/// Delivers a hundred events on another thread, before the call that starts the transfer returns.
private struct TransportOnThread: Transport {
    private final class Running: Transfer {
        let request: Request
        let receiver: any TransferReceiver

        init(_ request: Request, _ receiver: any TransferReceiver) {
            (self.request, self.receiver) = (request, receiver)
        }

        func start() {
            // Unowned, because the thread ends a little later than its work.
            onThread { [unowned self] in deliver() }
        }

        private func deliver() {
            var request = request
            _ = receiver.prepare(&request)
            receiver.willSend(request)
            receiver.receive(.head(HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])))
            for number in 0..<100 { receiver.receive(.body(Array("data: \(number)\n\n".utf8))) }
        }

        func pause() {}
        func resume() {}
        func dispose() {}
    }

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer { Running(request, receiver) }
}

/// A scheduler that calls a closure before it sets the next timer, and knows whether it runs work without a delay.
private final class InterceptedScheduler: SchedulerType {
    let beforeTimer = Locked<(@Sendable () -> Void)?>(nil)
    private let turns = Locked(0)
    private let base: TestScheduler

    init(_ base: TestScheduler) { self.base = base }

    var now: Instant { base.now }
    var isInTurn: Bool { turns.withLock { $0 } > 0 }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.schedule(state) { [turns] state in
            turns.withLock { $0 += 1 }
            defer { turns.withLock { $0 -= 1 } }
            return action(state)
        }
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let intercept = beforeTimer.withLock { $0.take() }
        intercept?()
        return base.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        base.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}
