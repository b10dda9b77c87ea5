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

    private func flow(_ stand: FlowStand, concurrency: Int = 2, isOrdered: Bool = false) -> any Disposable {
        let client = HTTPClient(transport: stand.transport, scheduler: LoopScheduler(loop))
        let plan = RequestFlow.Plan(
            concurrency: concurrency, isOrdered: isOrdered, longestLine: 1000, tally: RunTally())
        return stand.input.responses(from: client, on: loop, plan).subscribe(stand.record)
    }

    func testTheFlowSendsUpToItsLimitAndHoldsTheInputWhileLinesAreLeft() {
        onLoop { [self] in
            let stand = FlowStand()
            let subscription = flow(stand)
            stand.pieces.onNext(FlowStand.lines(0..<4))
            XCTAssertEqual(stand.paths, ["/0", "/1"])
            XCTAssertTrue(stand.isHeld)
            stand.answer("/1")
            XCTAssertEqual(stand.paths, ["/0", "/1", "/2"])
            stand.answer("/0")
            XCTAssertTrue(stand.isHeld)
            XCTAssertEqual(stand.ids, [1, 0])
            stand.answer("/2")
            XCTAssertFalse(stand.isHeld, "no line is left")
            stand.pieces.onCompleted()
            XCTAssertNil(stand.end)
            stand.answer("/3")
            XCTAssertEqual(stand.ids, [1, 0, 2, 3])
            XCTAssertEqual(stand.end?.isCompleted, true)
            subscription.dispose()
        }
    }

    func testAnOrderedFlowKeepsTheOrderOfTheLines() {
        onLoop { [self] in
            let stand = FlowStand()
            let subscription = flow(stand, isOrdered: true)
            stand.pieces.onNext(FlowStand.lines(0..<4))
            stand.answer("/1")
            XCTAssertEqual(stand.ids, [])
            XCTAssertEqual(stand.paths, ["/0", "/1"], "one whose answer waits has its place")
            stand.answer("/0")
            XCTAssertEqual(stand.ids, [0, 1])
            stand.answer("/3")
            stand.answer("/2")
            XCTAssertEqual(stand.ids, [0, 1, 2, 3])
            subscription.dispose()
        }
    }

    func testAPauseHoldsTheResponsesAndTheLines() {
        onLoop { [self] in
            let stand = FlowStand()
            let place = SerialDisposable()
            place.disposable = flow(stand, concurrency: 3)
            stand.pieces.onNext(FlowStand.lines(0..<2))
            place.pause()
            XCTAssertEqual(stand.held, ["/0", "/1"])
            stand.pieces.onNext(FlowStand.lines(2..<4))
            XCTAssertEqual(stand.paths, ["/0", "/1"])
            XCTAssertTrue(stand.isHeld)
            place.resume()
            XCTAssertEqual(stand.held, [])
            XCTAssertEqual(stand.paths, ["/0", "/1", "/2"])
            place.dispose()
        }
    }

    func testAnErrorOfTheInputIsDeliveredAfterAllEarlierResponses() {
        onLoop { [self] in
            let stand = FlowStand()
            let subscription = flow(stand)
            stand.pieces.onNext(FlowStand.lines(0..<3) + Array("x".utf8))
            stand.pieces.onError(RxError.timeout)
            for path in ["/0", "/1", "/2"] { stand.answer(path) }
            XCTAssertEqual(stand.ids.count, 4)
            XCTAssertNotNil(stand.end?.error)
            subscription.dispose()
        }
    }

    func testADisposedSubscriptionReceivesNothing() {
        onLoop { [self] in
            let stand = FlowStand()
            let subscription = flow(stand)
            stand.pieces.onNext(FlowStand.lines(0..<3))
            subscription.dispose()
            XCTAssertFalse(stand.pieces.hasObservers)
            XCTAssertEqual(stand.running, 0)
            XCTAssertEqual(stand.ids, [])
        }
    }

    func testEventsFromAnotherThreadKeepTheirOrder() {
        let stand = FlowStand()
        nonisolated(unsafe) var subscription: (any Disposable)?
        onLoop { [self] in
            subscription = flow(stand)
            stand.pieces.onNext(FlowStand.lines(0..<3))
        }
        stand.answer("/0")
        onLoop { stand.answer("/2") }
        onLoop {
            XCTAssertEqual(stand.ids, [0, 2])
            subscription?.dispose()
        }
    }
}

/// An input and a network that the test controls step by step.
private final class FlowStand: @unchecked Sendable {
    let pieces = PublishSubject<[UInt8]>()
    private(set) var isHeld = false
    private(set) var paths: [String] = []
    private(set) var ids: [Int] = []
    private(set) var end: Event<[UInt8]>?
    private var answers: [String: PublishSubject<ResponsePart>] = [:]
    private var holding: Set<String> = []

    static func lines(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { "{\"id\": \($0), \"url\": \"http://h/\($0)\"}\n".utf8 }
    }

    var input: Observable<[UInt8]> {
        pieces.holding { self.isHeld = $0 }
    }

    var held: [String] { holding.sorted() }
    var running: Int { answers.values.filter(\.hasObservers).count }

    var transport: ObservableTransport { ObservableTransport { self.respond(to: $0) } }

    private func respond(to request: Request) -> Observable<ResponsePart> {
        let path = request.url.path
        paths.append(path)
        let answer = PublishSubject<ResponsePart>()
        answers[path] = answer
        return answer.holding { isHeld in
            if isHeld { self.holding.insert(path) } else { self.holding.remove(path) }
        }
    }

    func answer(_ path: String) {
        answers[path]?.onNext(.head(HTTPResponse(status: .ok)))
        answers[path]?.onCompleted()
    }

    func record(_ event: Event<[UInt8]>) {
        guard case .next(let line) = event else {
            end = event
            return
        }
        let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        ids.append(object?["id"] as? Int ?? -1)
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
