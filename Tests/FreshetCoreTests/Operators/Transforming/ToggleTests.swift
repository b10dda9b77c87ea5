import FreshetCore
import FreshetTesting
import XCTest

final class ToggleTests: CoreTestCase {
    private let source = ControlledSource<Int>(), openings = ControlledSource<Int>(), closings = ControlledSource<Int>()

    private var buffers: Observable<[Int]> {
        source.stream.bufferToggle(openings.stream) { [closings] opening in
            if opening < 0 { throw Fault.second }
            return closings.stream.filter { $0 == opening }
        }
    }

    private var windows: Observable<Observable<Int>> {
        source.stream.windowToggle(openings.stream) { [closings] opening in
            if opening < 0 { throw Fault.second }
            return closings.stream.filter { $0 == opening }
        }
    }

    private var observers: [Int] { [source.observers, openings.observers, closings.observers] }

    func testBuffersOverlapAndOpenOnesAreEmittedAtTheEnd() {
        let recorder = Recorder<[Int]>()
        let subscription = buffers.subscribe(recorder)
        source.send(1)
        openings.send(0)
        source.send(2)
        openings.send(1, 2)
        source.send(3)
        closings.send(1)
        source.send(4)
        closings.send(1, 0)
        openings.complete()
        closings.complete()
        source.send(5)
        source.complete()
        XCTAssertEqual(recorder.events, [.next([3]), .next([2, 3, 4]), .next([3, 4, 5]), .completed])
        XCTAssertEqual(observers, [0, 0, 0])
        subscription.dispose()
    }

    func testAnErrorOfAnySourceEndsEverything() {
        let failures: [@Sendable () -> Void] = [
            { [source] in source.fail(Fault.second) }, { [openings] in openings.fail(Fault.second) },
            { [closings] in closings.fail(Fault.second) }, { [openings] in openings.send(-1) },
        ]
        for fail in failures {
            let buffered = Recorder<[Int]>(), outer = Recorder<Observable<Int>>(), inner = Recorder<Int>()
            let subscriptions = [
                buffers.subscribe(buffered),
                windows.do(onNext: { _ = $0.subscribe(inner) }).subscribe(outer),
            ]
            openings.send(0)
            source.send(1)
            fail()
            XCTAssertEqual(buffered.events, [.error(Fault.second)])
            XCTAssertEqual(inner.events, [.next(1), .error(Fault.second)])
            XCTAssertEqual(outer.error as? Fault, .second)
            XCTAssertEqual(observers, [0, 0, 0])
            subscriptions.forEach { $0.dispose() }
        }
    }

    func testADisposalInsideTheLastBuffersDropsTheRest() {
        let subscription = SerialDisposable()
        let recorder = Recorder<[Int]> { _ in subscription.dispose() }
        subscription.disposable = buffers.subscribe(recorder)
        openings.send(0, 1)
        source.send(1)
        source.complete()
        XCTAssertEqual(recorder.events, [.next([1])])
    }

    func testABufferCanBeOpenedInsideAnotherBuffersEvent() {
        let recorder = Recorder<[Int]> { [source, openings] event in
            if event.element == [1] {
                openings.send(2)
                source.send(7)
            }
        }
        let subscription = buffers.subscribe(recorder)
        openings.send(1)
        source.send(1)
        closings.send(1)
        closings.send(2)
        XCTAssertEqual(recorder.elements, [[1], [7]])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    func testAPauseReachesAllSources() {
        let subscription = SerialDisposable()
        subscription.disposable = buffers.subscribe(Recorder())
        openings.send(1)
        subscription.pause()
        subscription.resume()
        XCTAssertEqual([source.log, openings.log, closings.log], Array(repeating: ["pause", "resume"], count: 3))
        subscription.dispose()
    }

    func testAWindowOutlivesTheStreamOfWindows() {
        let inner = Recorder<Int>()
        let subscription = SerialDisposable()
        let outer = windows.subscribe(onNext: { subscription.disposable = $0.subscribe(inner) })
        openings.send(1)
        source.send(1)
        outer.dispose()
        openings.send(2)
        source.send(2)
        closings.send(2, 1)
        XCTAssertEqual(inner.events, [.next(1), .next(2), .completed])
        XCTAssertEqual(observers, [0, 0, 0])
        subscription.dispose()
    }

    func testManyOpeningsDoNotDeepenTheStack() {
        onASmallStack {
            let numbers = Observable.from(0..<20_000)
            let buffers = Observable<Int>.never().bufferToggle(numbers) { _ in Observable.just(()) }
            let subject = PublishSubject<[Int]>()
            let count = Locked(0)
            let subscription = subject.subscribe(onNext: { _ in count.withLock { $0 += 1 } })
            buffers.subscribe(subject).dispose()
            XCTAssertEqual(count.withLock { $0 }, 20_000)
            subscription.dispose()
        }
    }
}
