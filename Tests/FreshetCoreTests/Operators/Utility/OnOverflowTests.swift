import FreshetCore
import XCTest

final class OnOverflowTests: CoreTestCase {
    private let source = Wire<Int>()
    private let place = SerialDisposable()

    private func watch(_ policy: OverflowPolicy, reaction: @escaping @Sendable (Event<Int>) -> Void = { _ in })
        -> Recorder<Int>
    {
        let recorder = Recorder<Int>(reaction: reaction)
        place.disposable = source.stream.onOverflow(policy).subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        place.dispose()
        super.tearDown()
    }

    private static let policies: [OverflowPolicy] = [.buffer(2), .dropOldest(2), .dropNewest(2), .latest, .error(2)]

    func testAReadyObserverReceivesElementsAtOnce() {
        for policy in Self.policies {
            let recorder = watch(policy)
            source.send(1, 2, 3, 4, 5)
            XCTAssertEqual(recorder.elements, [1, 2, 3, 4, 5], "\(policy)")
        }
        XCTAssertEqual(source.log.filter { $0 != "dispose" }, [])
    }

    private func afterAPause(_ policy: OverflowPolicy) -> [Event<Int>] {
        let recorder = watch(policy)
        source.send(1)
        place.pause()
        source.send(2, 3, 4, 5)
        XCTAssertEqual(recorder.elements, [1])
        place.resume()
        source.send(6)
        return recorder.events
    }

    func testABufferKeepsAllElements() {
        XCTAssertEqual(afterAPause(.buffer(2)), [1, 2, 3, 4, 5, 6].map { .next($0) })
    }

    func testDropOldestKeepsTheNewestElements() {
        XCTAssertEqual(afterAPause(.dropOldest(2)), [1, 4, 5, 6].map { .next($0) })
    }

    func testDropNewestKeepsTheOldestElements() {
        XCTAssertEqual(afterAPause(.dropNewest(2)), [1, 2, 3, 6].map { .next($0) })
        XCTAssertEqual(afterAPause(.dropNewest(0)), [1, 6].map { .next($0) })
    }

    func testLatestKeepsOneElement() {
        XCTAssertEqual(afterAPause(.latest), [1, 5, 6].map { .next($0) })
    }

    func testAnOverflowErrorFollowsTheWaitingElements() {
        XCTAssertEqual(afterAPause(.error(2)), [.next(1), .next(2), .next(3), .error(OverflowError(capacity: 2))])
        XCTAssertEqual(source.observers, 0)
        XCTAssertEqual(afterAPause(.error(0)), [.next(1), .error(OverflowError(capacity: 0))])
    }

    func testAnOverflowErrorDisposesOfTheSourceAtOnce() {
        let recorder = watch(.error(1))
        place.pause()
        source.send(1, 2)
        XCTAssertEqual(source.observers, 0)
        XCTAssertEqual(recorder.events, [])
    }

    func testTheSourceOfABufferIsPausedAtItsCapacity() {
        let recorder = watch(.buffer(4)) { [place] event in if event.element == 12 { place.pause() } }
        place.pause()
        source.send(10, 11, 12)
        XCTAssertEqual(source.log, [])
        source.send(13)
        XCTAssertEqual(source.log, ["pause"])
        source.send(14)
        XCTAssertEqual(source.log, ["pause"])
        place.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12])
        XCTAssertEqual(source.log, ["pause", "resume"], "half of them have gone")
        place.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12, 13, 14])
    }

    func testOnlyABufferPausesTheSource() {
        for policy in Self.policies where policy != .buffer(2) {
            _ = watch(policy)
            place.pause()
            source.send(1, 2, 3)
            XCTAssertFalse(source.log.contains("pause"), "\(policy)")
        }
    }

    func testAStopEventFollowsTheWaitingElements() {
        for policy in Self.policies where policy != .latest {
            let recorder = watch(policy)
            place.pause()
            source.send(1, 2)
            source.complete()
            XCTAssertEqual(recorder.events, [], "\(policy)")
            XCTAssertEqual(source.observers, 0, "the end is kept, and not the source")
            place.resume()
            XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed], "\(policy)")
            place.disposable = Disposables.create()
        }
    }

    func testAStopEventWithoutWaitingElementsIsEmittedDuringAPause() {
        let recorder = watch(.latest)
        place.pause()
        source.fail()
        XCTAssertEqual(recorder.events, [.error(Fault.first)])
    }

    func testAnElementSentInsideAnElementWaits() {
        let recorder = watch(.dropNewest(1)) { [source] event in
            if event.element == 1 { source.send(2, 3) }
        }
        place.pause()
        source.send(1)
        place.resume()
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual(recorder.overlaps, 0)
    }

    func testAPauseStopsTheEmission() {
        let recorder = watch(.buffer(10)) { [place] _ in place.pause() }
        place.pause()
        source.send(1, 2, 3)
        for count in 1...3 {
            place.resume()
            XCTAssertEqual(recorder.elements.count, count)
        }
    }

    func testNoElementFollowsTheDisposal() {
        let recorder = watch(.buffer(10)) { [place] event in if event.element == 2 { place.dispose() } }
        place.pause()
        source.send(1, 2, 3)
        place.resume()
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual(source.observers, 0)
    }

    func testManyWaitingElementsDoNotDeepenTheStack() {
        onASmallStack {
            let subject = PublishSubject<Int>()
            let place = SerialDisposable()
            let count = Locked(0)
            place.disposable = subject.onOverflow(.buffer(10)).subscribe { _ in
                count.withLock { $0 += 1 }
                place.resume()
            }
            place.pause()
            for number in 0..<100_000 { subject.onNext(number) }
            place.resume()
            XCTAssertEqual(count.withLock { $0 }, 100_000)
            place.dispose()
        }
    }

    // MARK: Threads

    func testABufferBetweenThreadsLosesAndReordersNothing() {
        stress(.buffer(8)) { elements in XCTAssertEqual(elements, Array(0..<20_000)) }
    }

    func testDroppingBetweenThreadsKeepsTheOrder() {
        for policy in [OverflowPolicy.dropOldest(8), .dropNewest(8), .latest] {
            stress(policy) { elements in XCTAssertEqual(elements, elements.sorted()) }
        }
        stress(.latest) { elements in XCTAssertEqual(elements.last, 19_999, "the newest is never lost") }
    }

    /// Sends numbers from one thread while another thread pauses and resumes.
    private func stress(_ policy: OverflowPolicy, check: ([Int]) -> Void) {
        let recorder = watch(policy)
        onThreads(2) { [source, place] number in
            for turn in 0..<20_000 {
                if number == 0 {
                    source.send(turn)
                } else {
                    place.pause()
                    place.resume()
                }
            }
        }
        source.complete()
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        check(recorder.elements)
    }

    func testAConsumerOnAnotherThreadReceivesTheLatestElement() {
        let subject = PublishSubject<Int>()
        let loop = TestThread()
        let recorder = Recorder<Int>()
        place.disposable = subject.onOverflow(.latest).observe(on: loop, buffering: 0...1).subscribe(recorder)
        for number in 0..<10_000 { subject.onNext(number) }
        subject.onCompleted()
        loop.finish()
        XCTAssertTrue(recorder.hasCompleted)
        XCTAssertEqual(recorder.elements.last, 9_999)
        XCTAssertEqual(recorder.elements, recorder.elements.sorted())
    }
}
