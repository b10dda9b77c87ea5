import FreshetCore
import XCTest

final class ValuesTests: CoreTestCase {
    func testElementsAreReadInOrderUntilTheEnd() async throws {
        var seen: [Int] = []
        for try await element in Observable.of(1, 2, 3).values { seen.append(element) }
        XCTAssertEqual(seen, [1, 2, 3])
    }

    func testAnErrorIsThrownAfterTheElements() async {
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onError(TestError())
            return Disposables.create()
        }
        var seen: [Int] = []
        do {
            for try await element in source.values { seen.append(element) }
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error as? TestError, TestError())
        }
        XCTAssertEqual(seen, [1])
    }

    func testTheSourceOfValuesIsPausedWhileTheBufferIsFull() async throws {
        let source = ControlledSource<Int>()
        var iterator = source.stream.values(buffering: 1...3).makeAsyncIterator()
        source.send(1, 2)
        XCTAssertEqual(source.log, [])
        source.send(3)
        XCTAssertEqual(source.log, ["pause"])
        let first = try await iterator.next()
        XCTAssertEqual(source.log, ["pause"])
        let second = try await iterator.next()
        XCTAssertEqual(source.log, ["pause", "resume"])
        let third = try await iterator.next()
        XCTAssertEqual([first, second, third], [1, 2, 3])
        source.complete()
        let end = try await iterator.next()
        XCTAssertNil(end)
    }

    func testAPauseIsNotAppliedAfterALaterResume() async throws {
        let source = SlowlyPausing()
        let observer = Locked<AnyObserver<Int>?>(nil)
        let stream = Observable<Int>.create { given in
            observer.withLock { $0 = given }
            return source
        }
        var iterator = stream.values(buffering: 0...1).makeAsyncIterator()
        let sending = Task.detached { observer.withLock { $0 }?.onNext(1) }
        while !source.isPausing.value { await Task.yield() }
        let first = try await iterator.next()
        source.mayContinue.value = true
        await sending.value
        XCTAssertEqual(first, 1)
        XCTAssertEqual(source.log.all.last, "resume")
        observer.withLock { $0 = nil }
    }

    func testAReadElementIsReleasedWhileOthersWait() async throws {
        final class Piece: Sendable {}
        let source = ControlledSource<Piece>()
        var iterator = source.stream.values.makeAsyncIterator()
        weak var first: Piece?
        do {
            let piece = Piece()
            first = piece
            source.send(piece)
        }
        for _ in 0..<200 {
            source.send(Piece())
            _ = try await iterator.next()
        }
        XCTAssertNil(first)
    }

    func testElementsReachTheTaskAtTheTurnEnd() async throws {
        let source = ControlledSource<Int>()
        let seen = Log<Int>()
        let task = Task {
            for try await element in source.stream.values { seen.append(element) }
        }
        while source.observers == 0 { await Task.yield() }
        let turnEnd = TurnEnd()
        Self.inTurn(turnEnd) { source.send(1, 2, 3) }
        while seen.all.count < 3 { await Task.yield() }
        Self.inTurn(turnEnd) {
            source.send(4)
            source.complete()
        }
        try await task.value
        XCTAssertEqual(seen.all, [1, 2, 3, 4])
    }

    private static func inTurn(_ turnEnd: TurnEnd, _ work: () -> Void) {
        TurnEnd.setCurrent(turnEnd)
        work()
        TurnEnd.setCurrent(nil)
        turnEnd.run()
    }

    func testReleasingTheIteratorDisposesOfTheSource() async throws {
        let source = ControlledSource<Int>()
        do {
            var iterator = source.stream.values.makeAsyncIterator()
            source.send(1)
            _ = try await iterator.next()
            XCTAssertEqual(source.observers, 1)
        }
        XCTAssertEqual(source.observers, 0)
    }

    func testCancellingTheTaskDisposesOfTheSourceAndThrows() async {
        let source = ControlledSource<Int>()
        let task = Task {
            for try await _ in source.stream.values {}
        }
        while source.observers == 0 { await Task.yield() }
        task.cancel()
        do {
            try await task.value
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError)
        }
        XCTAssertEqual(source.observers, 0)
    }

    func testACancelledTaskReceivesNoWaitingElement() async {
        let source = ControlledSource<Int>()
        let task = Task {
            var iterator = source.stream.values.makeAsyncIterator()
            source.send(1, 2)
            source.complete()
            _ = try await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return try await iterator.next()
        }
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        let single = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Single.just(7).value
        }
        let value = await single.result
        XCTAssertThrowsError(try value.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
    }

    func testElementsFromManyThreadsAllArrive() async throws {
        let subject = PublishSubject<Int>()
        var iterator = subject.values(buffering: 0...1).makeAsyncIterator()
        let sending = Task.detached {
            onThreads(4) { thread in
                for number in 0..<500 { subject.onNext(thread * 500 + number) }
            }
            subject.onCompleted()
        }
        var seen: [Int] = []
        while let element = try await iterator.next() { seen.append(element) }
        await sending.value
        XCTAssertEqual(seen.sorted(), Array(0..<2_000))
    }

    func testASingleReturnsItsElementOrThrowsItsError() async throws {
        let value = try await Single.just(7).value
        XCTAssertEqual(value, 7)
        do {
            _ = try await Single<Int>.error(TestError(number: 2)).value
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error as? TestError, TestError(number: 2))
        }
    }

    func testCancellingATaskThatAwaitsASingleDisposesOfIt() async {
        let disposals = Counter()
        let subscriptions = Counter()
        let single = Single<Int>.create { _ in
            subscriptions.increment()
            return Disposables.create { disposals.increment() }
        }
        let task = Task { try await single.value }
        while subscriptions.value == 0 { await Task.yield() }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(disposals.value, 1)
    }

    func testAnAsyncSequenceEmitsItsElementsAsAStream() async throws {
        let stream = AsyncStream<Int> { continuation in
            for number in 1...3 { continuation.yield(number) }
            continuation.finish()
        }
        var seen: [Int] = []
        for try await element in stream.asObservable().map({ $0 * 2 }).values { seen.append(element) }
        XCTAssertEqual(seen, [2, 4, 6])
    }

    func testDisposingCancelsTheTaskOfAnAsyncSequence() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let ended = XCTestExpectation()
        let begun = XCTestExpectation()
        continuation.onTermination = { _ in ended.fulfill() }
        continuation.yield(1)
        do {
            let subscription = stream.asObservable().subscribe(onNext: { _ in begun.fulfill() })
            await fulfillment(of: [begun], timeout: 30)
            subscription.dispose()
        }
        await fulfillment(of: [ended], timeout: 30)
        while Resources.total > resourcesAtTheStart { await Task.yield() }
    }

    func testAnEarlyDisposalTerminatesAnAsyncSequence() async {
        for round in 0..<200 {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let ended = XCTestExpectation()
            continuation.onTermination = { _ in ended.fulfill() }
            for number in 0..<4 { continuation.yield(number) }
            let source = stream.asObservable()
            switch round % 4 {
            case 0: source.subscribe().dispose()
            case 1: _ = source.take(1).subscribe()
            case 2:
                let subscription = source.subscribe()
                (subscription as? any Pausable)?.pause()
                subscription.dispose()
            default:
                let subscription = source.subscribe()
                await Task.yield()
                subscription.dispose()
            }
            await fulfillment(of: [ended], timeout: 30)
        }
        while Resources.total > resourcesAtTheStart { await Task.yield() }
    }

    func testAPausedAsyncSequenceIsNotRead() async throws {
        var roundsWithMore = 0
        for _ in 0..<100 {
            let reads = Counter()
            let numbers = AsyncStream<Int>(unfolding: {
                let number = reads.increment()
                return number <= 100 ? number : nil
            })
            var iterator = numbers.asObservable().values(buffering: 0...2).makeAsyncIterator()
            var seen = 0
            var most = 0
            while try await iterator.next() != nil {
                seen += 1
                await Task.yield()
                most = max(most, reads.value - seen)
            }
            XCTAssertEqual(seen, 100)
            if most > 4 { roundsWithMore += 1 }
        }
        // A thread that is suspended while it reports a resume is late with the pause that follows.
        XCTAssertLessThan(roundsWithMore, 50)
    }

    private var resourcesAtTheStart = 0

    override func setUp() {
        super.setUp()
        resourcesAtTheStart = Resources.total
    }
}

/// A source whose `pause` does not return until the test sets `mayContinue`.
private final class SlowlyPausing: Pausable {
    let isPausing = Flag()
    let mayContinue = Flag()
    let log = Log<String>()

    func pause() {
        isPausing.value = true
        while !mayContinue.value { sched_yield() }
        log.append("pause")
    }

    func resume() { log.append("resume") }
    func dispose() {}
}
