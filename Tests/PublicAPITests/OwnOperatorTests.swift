import FreshetCore
import FreshetFoundation
import FreshetTesting
import Glibc
import XCTest

/// Tests operators that a user has written with the public API only.
final class OwnOperatorTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testAnOwnOperatorEmitsAtTheTimesOfItsSource() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3), .completed(40)])
        let result = scheduler.start { source.pairs() }
        XCTAssertEqual(result.events, [.next(220, [1, 2]), .next(240, [3]), .completed(240)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 240)])
    }

    func testAnErrorPassesAtOnceAndDropsGatheredElements() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, RxError.noElements)])
        let result = scheduler.start { source.pairs() }
        XCTAssertEqual(result.events, [.error(220, RxError.noElements)])
    }

    func testNothingFollowsAnElementThatEndsTheSubscription() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3), .completed(40)])
        let result = scheduler.start { source.pairs().take(1) }
        XCTAssertEqual(result.events, [.next(220, [1, 2]), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
        let left = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let last = scheduler.createObserver([Int].self)
        _ = left.pairs().take(1).subscribe(last)
        scheduler.start()
        XCTAssertEqual(last.events.map(\.value), [.next([1]), .completed])
    }

    func testEachSubscriptionHasItsOwnState() {
        let pairs = Observable.of(1, 2, 3).pairs()
        for _ in 0..<2 { XCTAssertEqual(try pairs.toBlocking().toArray(), [[1, 2], [3]]) }
    }

    func testAPauseReachesTheSource() {
        let source = PausableSource()
        let subscription = Observable<Int>.create { _ in source }.pairs().subscribe()
        (subscription as? any Pausable)?.pause()
        XCTAssertEqual(source.pauses.withLock { $0 }, [true])
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(source.pauses.withLock { $0 }, [true, false])
        subscription.dispose()
    }

    func testAnElementSentInsideAnElementIsHandledWithTheUpdatedState() {
        let subject = PublishSubject<Int>()
        let seen = Locked<[[Int]]>([])
        let subscription = subject.pairs().subscribe(onNext: { pair in
            seen.withLock { $0.append(pair) }
            if pair == [1, 2] { for number in 3...4 { subject.onNext(number) } }
        })
        for number in 1...2 { subject.onNext(number) }
        XCTAssertEqual(seen.withLock { $0 }, [[1, 2], [3, 4]])
        subscription.dispose()
    }

    func testAnOperatorThatEndsBeforeItsSourceDisposesOfIt() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, -1), .next(230, 2)])
        let result = scheduler.start { source.untilNegative() }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testAMarbleLineShowsTheElementsOfTheOperator() {
        let source = scheduler.createColdObservable([.next(2, 1), .next(4, 2), .next(6, 3), .completed(8)])
        let lines = Locked<[String]>([])
        let stream = source.pairs().marble(.seconds(1), scheduler: scheduler) { line in
            lines.withLock { $0.append(line) }
        }
        _ = scheduler.start { stream }
        XCTAssertEqual(lines.withLock { $0 }, ["----'[1, 2]'---('[3]'|)"])
    }

    func testDebugPrintsTheNameOfTheCallingFunction() throws {
        let output = try printed { _ = Observable.of(1, 2).printedPairs().subscribe() }
        XCTAssertTrue(output.contains(": OwnOperatorTests.swift:"), output)
        XCTAssertTrue(output.contains("(printedPairs()) -> Event next([1, 2])\n"), output)
        XCTAssertTrue(output.contains("(printedPairs()) -> isDisposed\n"), output)
    }

    /// The output that `body` prints.
    private func printed(_ body: () -> Void) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        fflush(nil)
        let before = dup(STDOUT_FILENO)
        dup2(handle.fileDescriptor, STDOUT_FILENO)
        body()
        fflush(nil)
        dup2(before, STDOUT_FILENO)
        close(before)
        return try String(contentsOf: file, encoding: .utf8)
    }

    func testAnAssemblyTraceReportsTheOperatorByName() {
        let reported = Locked<[String]>([])
        Hooks.assemblyTraceHandler = { _, site in reported.withLock { $0.append("\(site)") } }
        Hooks.assemblyTrace = .operators(by: .backtrace)
        defer { Hooks.assemblyTrace = .off }
        let line = #line + 1
        _ = Observable<Int>.error(RxError.noElements).pairs().subscribe(onError: { _ in })
        let site = "PublicAPITests/OwnOperatorTests.swift:\(line)"
        XCTAssertEqual(reported.withLock { $0 }, ["error(_:) at \(site)", "pairs() at \(site)"])
    }
}

extension ObservableType {
    fileprivate func pairs() -> Observable<[Element]> { lift { PairSink(to: $0) } }

    fileprivate func printedPairs() -> Observable<[Element]> { pairs().debug() }
}

extension ObservableType<Int> {
    fileprivate func untilNegative() -> Observable<Int> { lift { UntilNegativeSink(to: $0) } }
}

private final class PairSink<Element>: ClosingOperatorSink<Element, [Element]> {
    private var gathered: [Element] = []

    override func next(_ element: Element) {
        gathered.append(element)
        guard gathered.count == 2 else { return }
        let pair = gathered
        gathered = []
        downstream.next(pair)
    }

    override func completed() {
        if gathered.isEmpty { downstream.completed() } else { finish(with: gathered) }
    }
}

private final class UntilNegativeSink: OperatorSink<Int, Int> {
    override func next(_ element: Int) {
        if element < 0 { downstream.completed() } else { downstream.next(element) }
    }
}

private final class PausableSource: Pausable {
    let pauses = Locked<[Bool]>([])

    func pause() { pauses.withLock { $0.append(true) } }
    func resume() { pauses.withLock { $0.append(false) } }
    func dispose() {}
}
