import FreshetCore
import FreshetTesting
import XCTest

final class ExpandTests: CoreTestCase {
    func testEachElementIsEmittedBeforeItsStreamBegins() {
        let log = Log<String>()
        let stream = Observable.of(1, 10).expand { number in
            log.append("expand \(number)")
            return number % 10 < 3 ? Observable.just(number + 1) : .empty()
        }.do(onNext: { log.append("emit \($0)") })
        XCTAssertEqual(stream.record().elements.sorted(), [1, 2, 3, 10, 11, 12, 13])
        for number in [1, 2, 3, 10, 11, 12, 13] {
            let indexes = ["emit", "expand"].map { log.all.firstIndex(of: "\($0) \(number)") ?? -1 }
            XCTAssertLessThan(indexes[0], indexes[1])
        }
        XCTAssertTrue(stream.record().hasCompleted)
    }

    func testExpandedStreamsRunConcurrently() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .completed(215)])
        let result = scheduler.start {
            source.expand { number in
                number < 8
                    ? Observable.of(number * 2, number * 2 + 1).delay(.seconds(10), scheduler: scheduler) : .empty()
            }
        }
        XCTAssertEqual(result.events.compactMap(\.value.element).sorted(), Array(1..<16))
        XCTAssertEqual(result.events.first, .next(210, 1))
        XCTAssertEqual(result.events.last?.value, .completed)
    }

    func testExpandKeepsItsLimitOfConcurrentStreams() {
        let sources = (0..<4).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.just(0).expand(maxConcurrent: 1) { sources[$0].stream }.subscribe(recorder)
        sources[0].send(1, 2)
        XCTAssertEqual(sources.map(\.observers), [1, 0, 0, 0])
        sources[0].complete()
        XCTAssertEqual(sources.map(\.observers), [0, 1, 0, 0])
        sources[1].send(3)
        sources[1].complete()
        sources[2].complete()
        XCTAssertEqual(sources.map(\.observers), [0, 0, 0, 1])
        XCTAssertEqual(recorder.events, [.next(0), .next(1), .next(2), .next(3)])
        sources[3].complete()
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testAnErrorOfTheSelectorOrOfAStreamEndsEverything() {
        let source = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let expanded = source.stream.expand { number in
            if number == 7 { throw Fault.first }
            return inner.stream
        }
        for fail in [{ inner.fail() }, { inner.send(7) }, { source.fail() }] as [@Sendable () -> Void] {
            let recorder = Recorder<Int>()
            let subscription = expanded.subscribe(recorder)
            source.send(1)
            fail()
            XCTAssertEqual(recorder.events.filter { $0 != .next(7) }, [.next(1), .error(Fault.first)])
            XCTAssertEqual([source.observers, inner.observers], [0, 0])
            subscription.dispose()
        }
    }

    func testAnEndlessExpansionStopsAtTake() {
        let synchronous = Observable.just(0).expand { Observable.just($0 + 1) }
        XCTAssertEqual(synchronous.take(4).record().events, [.next(0), .next(1), .next(2), .next(3), .completed])
        let endless = Observable.just(0).expand { _ in
            Observable<Int>.create { observer in
                let stop = BooleanDisposable()
                for number in 1..<1_000_000 where !stop.isDisposed { observer.onNext(number) }
                return stop
            }
        }
        XCTAssertEqual(endless.take(3).record().elements, [0, 1, 2])
    }

    func testADisposalInsideAnElementStopsAllStreams() {
        let source = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = SerialDisposable()
        let recorder = Recorder<Int> { if $0.element == 2 { subscription.dispose() } }
        subscription.disposable = source.stream.expand { _ in inner.stream }.subscribe(recorder)
        source.send(1, 2, 3)
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual([source.observers, inner.observers], [0, 0])
    }

    func testAPauseReachesTheSourceAndAllStreams() {
        let source = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.expand { $0 == 0 ? inner.stream : .empty() }.subscribe(Recorder())
        source.send(0)
        subscription.pause()
        subscription.resume()
        XCTAssertEqual([source.log, inner.log], [["pause", "resume"], ["pause", "resume"]])
        subscription.dispose()
    }

    func testManyGenerationsDoNotDeepenTheStack() {
        onASmallStack {
            let count = Observable.just(1).expand { $0 < 20_000 ? Observable.just($0 + 1) : .empty() }
                .reduce(0) { count, _ in count + 1 }
            XCTAssertEqual(count.record().events, [.next(20_000), .completed])
            let tree = Observable.just(1).expand { $0 < 10_000 ? Observable.of($0 * 2, $0 * 2 + 1) : .empty() }
                .reduce(0) { count, _ in count + 1 }
            XCTAssertEqual(tree.record().events, [.next(19_999), .completed])
        }
    }

    func testStreamsOnEightThreadsLoseNothing() {
        let sources = (0..<8).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.from(0..<8).expand { number in number < 8 ? sources[number].stream : .empty() }
            .subscribe(recorder)
        onThreads(8) { thread in
            for number in 1...500 { sources[thread].send(thread * 500 + number + 100) }
            sources[thread].complete()
        }
        XCTAssertEqual(recorder.elements.count, 8 + 4000)
        XCTAssertEqual(Set(recorder.elements).count, 8 + 4000)
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }
}
