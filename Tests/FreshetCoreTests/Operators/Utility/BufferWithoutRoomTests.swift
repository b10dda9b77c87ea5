import FreshetCore
import FreshetTesting
import XCTest

/// Tests `onOverflow(.buffer(0))`, which pauses its source whenever downstream is paused.
final class BufferWithoutRoomTests: CoreTestCase {
    private let source = ControlledSource<Int>()
    private let subscription = SerialDisposable()

    private func observe(reaction: @escaping @Sendable (Event<Int>) -> Void = { _ in }) -> Recorder<Int> {
        let recorder = Recorder<Int>(reaction: reaction)
        subscription.disposable = source.stream.onOverflow(.buffer(0)).subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        subscription.dispose()
        super.tearDown()
    }

    func testABufferWithoutRoomPausesTheSourceWithItsObserverAndKeepsWhatComesNevertheless() {
        let recorder = observe()
        source.send(1)
        XCTAssertEqual(source.log, [])
        subscription.pause()
        XCTAssertEqual(source.log, ["pause"])
        source.send(2, 3)
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(source.log.last, "resume")
        subscription.pause()
        subscription.resume()
        XCTAssertEqual(source.log.suffix(2), ["pause", "resume"])
    }

    func testABufferWithoutRoomDeliversOneElementPerResumeToAnObserverThatPausesAtEach() {
        let recorder = observe { [subscription] _ in subscription.pause() }
        source.send(1, 2, 3)
        source.complete()
        XCTAssertEqual(recorder.events, [.next(1)])
        subscription.resume()
        XCTAssertEqual(recorder.events, [1, 2].map { .next($0) })
        subscription.resume()
        XCTAssertEqual(recorder.events, [1, 2, 3].map { .next($0) } + [.completed])
    }

    func testAResumeDeliversWhatWaitsAndLeavesTheRestToTheThreadOfTheSource() {
        let early = Locked<[Int]>([])
        let recorder = observe { [source, subscription] event in
            if event.element == 1 { subscription.pause() }
            if source.log.last == "resume", let element = event.element { early.withLock { $0.append(element) } }
        }
        source.send(1, 2, 3)
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(early.withLock { $0 }, [], "the source continues after the last of them")
        XCTAssertEqual(source.log.last, "resume")
    }

    func testAnErrorAndAResumeWithinAnElementFollowTheWaitingElements() {
        let recorder = observe { [subscription] event in
            if event.element == 1 { subscription.pause() }
            if event.element == 2 {
                subscription.pause()
                subscription.resume()
            }
        }
        source.send(1, 2, 3)
        source.fail()
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        XCTAssertEqual(recorder.events, [1, 2, 3].map { .next($0) } + [.error(Fault.first)])
    }
}
