import FreshetCore
import FreshetTesting
import XCTest

final class BoundaryTests: CoreTestCase {
    private let source = ControlledSource<Int>(), boundary = ControlledSource<String>()

    private var observers: [Int] { [source.observers, boundary.observers] }

    func testEachBoundaryEmitsTheElementsSinceThePreviousOne() {
        let recorder = Recorder<[Int]>()
        let subscription = source.stream.buffer(boundary: boundary.stream).subscribe(recorder)
        source.send(1, 2)
        boundary.send("a", "b")
        source.send(3)
        boundary.complete()
        source.send(4)
        source.complete()
        XCTAssertEqual(recorder.events, [.next([1, 2]), .next([]), .next([3, 4]), .completed])
        XCTAssertEqual(observers, [0, 0])
        subscription.dispose()
    }

    func testTheSelectorIsCalledOncePerBuffer() {
        let calls = Counter()
        let recorder = Recorder<[Int]>()
        let subscription = source.stream.buffer { [boundary] in
            calls.increment()
            return boundary.stream
        }.subscribe(recorder)
        XCTAssertEqual(calls.value, 1)
        source.send(1)
        boundary.send("a")
        XCTAssertEqual(boundary.subscriptions, 2)
        source.send(2)
        boundary.complete()
        XCTAssertEqual(recorder.elements, [[1]], "the end of a stream closes nothing")
        XCTAssertEqual(calls.value, 2)
        source.send(3)
        source.complete()
        XCTAssertEqual(recorder.events.suffix(2), [.next([2, 3]), .completed])
        XCTAssertEqual(observers, [0, 0])
        subscription.dispose()
    }

    func testAnEmptyClosingStreamClosesAWindow() {
        let closings = [ControlledSource<Int>(), ControlledSource<Int>()]
        let calls = Counter()
        let windows = Recorder<[Int]>()
        let subscription = source.stream.window { closings[min(calls.increment(), 2) - 1].stream }
            .flatMap { $0.toArray() }.subscribe(windows)
        source.send(1)
        closings[0].complete()
        source.send(2)
        XCTAssertEqual(windows.elements, [[1]])
        XCTAssertEqual(calls.value, 2)
        source.complete()
        XCTAssertEqual(windows.elements, [[1], [2]])
        subscription.dispose()
    }

    func testAnErrorOfAnySourceEndsEverything() {
        for fail in [{ [source] in source.fail() }, { [boundary] in boundary.fail() }] as [@Sendable () -> Void] {
            let buffered = Recorder<[Int]>(), outer = Recorder<Observable<Int>>(), inner = Recorder<Int>()
            let subscriptions = [
                source.stream.buffer(boundary: boundary.stream).subscribe(buffered),
                source.stream.window { [boundary] in boundary.stream }
                    .do(onNext: { _ = $0.subscribe(inner) }).subscribe(outer),
            ]
            source.send(1)
            fail()
            XCTAssertEqual(buffered.events, [.error(Fault.first)])
            XCTAssertEqual(inner.events, [.next(1), .error(Fault.first)])
            XCTAssertEqual(outer.error as? Fault, .first)
            XCTAssertEqual(observers, [0, 0])
            subscriptions.forEach { $0.dispose() }
        }
    }

    func testADisposalInsideTheLastBufferDropsTheCompletion() {
        let subscription = SerialDisposable()
        let recorder = Recorder<[Int]> { _ in subscription.dispose() }
        subscription.disposable = source.stream.buffer(boundary: boundary.stream).subscribe(recorder)
        source.send(1)
        source.complete()
        XCTAssertEqual(recorder.events, [.next([1])])
    }

    func testAnElementSentInsideABufferBelongsToTheNextBuffer() {
        let recorder = Recorder<[Int]> { [source, boundary] event in
            guard event.element == [1] else { return }
            source.send(2)
            boundary.send("b")
        }
        let subscription = source.stream.buffer(boundary: boundary.stream).subscribe(recorder)
        source.send(1)
        boundary.send("a")
        XCTAssertEqual(recorder.elements, [[1], [2]])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    func testTheFirstWindowOpensBeforeTheFirstElement() {
        let windows = Observable.of(1, 2).window(boundary: Observable<Int>.never())
        XCTAssertEqual(windows.flatMap { $0.toArray() }.record().events, [.next([1, 2]), .completed])
    }

    func testAWindowOutlivesTheStreamOfWindows() {
        let inner = Recorder<Int>()
        let subscription = SerialDisposable()
        let outer = source.stream.window(boundary: boundary.stream)
            .subscribe(onNext: { subscription.disposable = $0.subscribe(inner) })
        source.send(1)
        outer.dispose()
        XCTAssertEqual(observers, [1, 1])
        source.send(2)
        boundary.send("a")
        XCTAssertEqual(inner.events, [.next(1), .next(2), .completed])
        XCTAssertEqual(observers, [0, 0])
        subscription.dispose()
    }

    func testAWindowWithoutAnObserverIsReleased() {
        let outer = source.stream.window { [boundary] in boundary.stream }.subscribe()
        boundary.send("a")
        source.send(1)
        outer.dispose()
        XCTAssertEqual(observers, [0, 0])
    }

    func testBufferCallsNoClosingSelectorDuringAPause() {
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.buffer { [boundary] in boundary.stream }.subscribe(Recorder())
        subscription.pause()
        boundary.send("a")
        XCTAssertEqual(boundary.subscriptions, 1)
        subscription.resume()
        XCTAssertEqual(boundary.subscriptions, 2)
        subscription.dispose()
    }

    func testSynchronousClosingsDoNotDeepenTheStack() {
        onASmallStack {
            let buffers = Observable<Int>.never().buffer { Observable.just(1) }
            XCTAssertEqual(buffers.take(20_000).record().events.count, 20_001)
            let windows = Observable<Int>.never().window { Observable<Int>.empty() }
            XCTAssertEqual(windows.take(20_000).record().events.count, 20_001)
        }
    }
}
