import Foundation
import Freshet
import HTTPTypes
import XCTest

@testable import freshet_cli

final class RequestFlowTests: XCTestCase {
    private var loop: Loop!
    private var liveAtStart = 0

    override func setUpWithError() throws {
        liveAtStart = Resources.total
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        // A thread may release the test's objects a moment after its part of the test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != liveAtStart, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, liveAtStart)
    }

    /// Runs `body` on the loop and waits until it has returned.
    private func onLoop(_ body: @escaping () -> Void) {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let body = body
        loop.execute {
            body()
            done.signal()
        }
        done.wait()
    }

    private func flow(_ fixture: FlowFixture, concurrency: Int = 2, isOrdered: Bool = false) -> any Disposable {
        let client = HTTPClient(transport: fixture.transport, scheduler: LoopScheduler(loop))
        let plan = RequestFlow.Plan(
            concurrency: concurrency, isOrdered: isOrdered, longestLine: 1000, tally: RunTally(),
            stop: fixture.stop.asObservable())
        return fixture.input.responses(from: client, on: loop, plan).subscribe(fixture.record)
    }

    func testTheFlowSendsUpToItsLimitAndHoldsTheInputWhileLinesAreLeft() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let subscription = flow(fixture)
            fixture.pieces.onNext(FlowFixture.lines(0..<4))
            XCTAssertEqual(fixture.paths, ["/0", "/1"])
            XCTAssertTrue(fixture.isHeld)
            fixture.complete("/1")
            XCTAssertEqual(fixture.paths, ["/0", "/1", "/2"])
            fixture.complete("/0")
            XCTAssertTrue(fixture.isHeld)
            XCTAssertEqual(fixture.ids, [1, 0])
            fixture.complete("/2")
            XCTAssertFalse(fixture.isHeld, "no line is left")
            fixture.pieces.onCompleted()
            XCTAssertNil(fixture.end)
            fixture.complete("/3")
            XCTAssertEqual(fixture.ids, [1, 0, 2, 3])
            XCTAssertEqual(fixture.end?.isCompleted, true)
            subscription.dispose()
        }
    }

    /// Returns the line of one request whose transport emits `parts`.
    private func line(of parts: Observable<ResponsePart>) -> String {
        let text = Locked("")
        onLoop { [self] in
            let client = HTTPClient(transport: ObservableTransport { _ in parts }, scheduler: LoopScheduler(loop))
            let plan = RequestFlow.Plan(concurrency: 1, isOrdered: false, longestLine: 1000, tally: RunTally())
            _ = Observable.just(FlowFixture.lines(0..<1)).responses(from: client, on: loop, plan).subscribe(
                onNext: { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } })
        }
        return text.withLock { $0 }
    }

    func testTheSendingsOfTheTransportItselfCountAsAttempts() {
        let line = line(
            of: .of(.phase(.layer(.sentAgain)), .phase(.layer(.sentAgain)), .head(HTTPResponse(status: .ok))))
        XCTAssertTrue(line.contains(#""attempts":3"#), line)
    }

    func testASendingThatTheServerHasRefusedCountsIfThereIsNoConnectionForTheNext() {
        let failure = Observable<ResponsePart>.error(
            HTTPClientError(.connect, phase: .connecting, message: "refused"))
        for (phases, attempts) in [
            ([], 0), ([.requestSent(bytes: 9)], 1), ([.requestSent(bytes: 9), .layer(.sentAgain)], 2),
        ] as [([TransferPhase], Int)] {
            let line = line(of: .concat(.from(phases.map { .phase($0) }), failure))
            XCTAssertTrue(line.contains(#""attempts":\#(attempts)"#), line)
        }
    }

    func testAnOrderedFlowKeepsTheOrderOfTheLines() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let subscription = flow(fixture, isOrdered: true)
            fixture.pieces.onNext(FlowFixture.lines(0..<4))
            fixture.complete("/1")
            XCTAssertEqual(fixture.ids, [])
            XCTAssertEqual(fixture.paths, ["/0", "/1"], "one whose answer waits has its place")
            fixture.complete("/0")
            XCTAssertEqual(fixture.ids, [0, 1])
            fixture.complete("/3")
            fixture.complete("/2")
            XCTAssertEqual(fixture.ids, [0, 1, 2, 3])
            subscription.dispose()
        }
    }

    func testAPauseHoldsTheResponsesAndTheLines() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let serial = SerialDisposable()
            serial.disposable = flow(fixture, concurrency: 3)
            fixture.pieces.onNext(FlowFixture.lines(0..<2))
            serial.pause()
            XCTAssertEqual(fixture.held, ["/0", "/1"])
            fixture.pieces.onNext(FlowFixture.lines(2..<4))
            XCTAssertEqual(fixture.paths, ["/0", "/1"])
            XCTAssertTrue(fixture.isHeld)
            serial.resume()
            XCTAssertEqual(fixture.held, [])
            XCTAssertEqual(fixture.paths, ["/0", "/1", "/2"])
            serial.dispose()
        }
    }

    func testAPausedFlowPausesARequestOnce() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let serial = SerialDisposable()
            serial.disposable = flow(fixture, concurrency: 2)
            fixture.pieces.onNext(FlowFixture.lines(0..<2))
            for _ in 0..<2 {
                for _ in 0..<3 { serial.pause() }
                for _ in 0..<3 { serial.resume() }
            }
            XCTAssertEqual(fixture.pauses, 4, "two requests, two times")
            serial.dispose()
        }
    }

    func testAnErrorOfTheInputIsDeliveredAfterAllEarlierResponses() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let subscription = flow(fixture)
            fixture.pieces.onNext(FlowFixture.lines(0..<3) + Array("x".utf8))
            fixture.pieces.onError(RxError.timeout)
            for path in ["/0", "/1", "/2"] { fixture.complete(path) }
            XCTAssertEqual(fixture.ids.count, 4)
            XCTAssertNotNil(fixture.end?.error)
            subscription.dispose()
        }
    }

    func testADisposedSubscriptionReceivesNothing() {
        onLoop { [self] in
            let fixture = FlowFixture()
            let subscription = flow(fixture)
            fixture.pieces.onNext(FlowFixture.lines(0..<3))
            subscription.dispose()
            XCTAssertFalse(fixture.pieces.hasObservers)
            XCTAssertEqual(fixture.running, 0)
            XCTAssertEqual(fixture.ids, [])
        }
    }

    func testAStopEndsEachRequestUnderWayWithALineAlthoughTheOutputIsHeld() {
        for (isOrdered, outcomes) in [
            (true, ["0 - cancelled", "1 200 -", "2 200 cancelled"]),
            (false, ["0 - cancelled", "1 200 -", "2 200 cancelled", "3 - cancelled"]),
        ] {
            onLoop { [self] in
                let fixture = FlowFixture()
                let serial = SerialDisposable()
                serial.disposable = flow(fixture, concurrency: 3, isOrdered: isOrdered)
                fixture.pieces.onNext(FlowFixture.lines(0..<9))
                fixture.respond("/2")
                fixture.complete("/1")
                serial.pause()
                fixture.stop.onNext(())
                XCTAssertEqual(isOrdered ? fixture.outcomes : fixture.outcomes.sorted(), outcomes)
                XCTAssertEqual(fixture.end?.isCompleted, true)
                XCTAssertEqual(fixture.running, 0)
                XCTAssertFalse(fixture.pieces.hasObservers)
                XCTAssertFalse(fixture.stop.hasObservers)
                serial.dispose()
            }
        }
    }

    func testEventsFromAnotherThreadKeepTheirOrder() {
        let fixture = FlowFixture()
        nonisolated(unsafe) var subscription: (any Disposable)?
        onLoop { [self] in
            subscription = flow(fixture)
            fixture.pieces.onNext(FlowFixture.lines(0..<3))
        }
        fixture.complete("/0")
        onLoop { fixture.complete("/2") }
        onLoop {
            XCTAssertEqual(fixture.ids, [0, 2])
            subscription?.dispose()
        }
    }
}

/// An input and a network that the test controls step by step.
private final class FlowFixture: @unchecked Sendable {
    let pieces = PublishSubject<[UInt8]>()
    private(set) var isHeld = false
    /// How many times the requests were paused.
    private(set) var pauses = 0
    private(set) var paths: [String] = []
    let stop = PublishSubject<Void>()
    private(set) var ids: [Int] = []
    /// The id, the status and the code of the error of each line.
    private(set) var outcomes: [String] = []
    private(set) var end: Event<[UInt8]>?
    private var pending: [String: PublishSubject<ResponsePart>] = [:]
    private var holding: Set<String> = []

    static func lines(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { "{\"id\": \($0), \"url\": \"http://h/\($0)\"}\n".utf8 }
    }

    var input: Observable<[UInt8]> {
        pieces.holding { self.isHeld = $0 }
    }

    var held: [String] { holding.sorted() }
    var running: Int { pending.values.filter(\.hasObservers).count }

    var transport: ObservableTransport { ObservableTransport { self.respond(to: $0) } }

    private func respond(to request: Request) -> Observable<ResponsePart> {
        let path = request.url.path
        paths.append(path)
        let complete = PublishSubject<ResponsePart>()
        pending[path] = complete
        return complete.holding { isHeld in
            if isHeld { self.pauses += 1 }
            if isHeld { self.holding.insert(path) } else { self.holding.remove(path) }
        }
    }

    func respond(_ path: String) {
        pending[path]?.onNext(.head(HTTPResponse(status: .ok)))
    }

    func complete(_ path: String) {
        respond(path)
        pending[path]?.onCompleted()
    }

    func record(_ event: Event<[UInt8]>) {
        guard case .next(let line) = event else {
            end = event
            return
        }
        let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        let id = object?["id"] as? Int ?? -1
        let (status, error) = (object?["status"] as? Int, object?["error"] as? [String: String])
        ids.append(id)
        outcomes.append("\(id) \(status.map { "\($0)" } ?? "-") \(error?["code"] ?? "-")")
    }
}

extension PublishSubject where Element: Sendable {
    /// The elements, with a subscription that calls `note` when it is paused or resumed.
    fileprivate func holding(_ note: @escaping @Sendable (Bool) -> Void) -> Observable<Element> {
        .create { HeldSubscription(subscription: self.subscribe($0), note: note) }
    }
}

private struct HeldSubscription: Pausable {
    let subscription: any Disposable
    let note: @Sendable (Bool) -> Void

    func pause() { note(true) }
    func resume() { note(false) }
    func dispose() { subscription.dispose() }
}
