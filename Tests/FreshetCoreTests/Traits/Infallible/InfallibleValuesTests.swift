import FreshetCore
import XCTest

final class InfallibleValuesTests: CoreTestCase {
    func testElementsAreReadInOrderUntilTheEnd() async {
        var seen: [Int] = []
        for await element in Infallible.of(1, 2, 3).values { seen.append(element) }
        XCTAssertEqual(seen, [1, 2, 3])
    }

    func testTheSourceIsPausedWhileTheBufferIsFull() async {
        let source = ControlledSource<Int>()
        var iterator = source.stream.asInfallible(onErrorFallbackTo: .empty()).values(buffering: 1...3)
            .makeAsyncIterator()
        source.send(1, 2, 3)
        XCTAssertEqual(source.log, ["pause"])
        let first = await iterator.next()
        let second = await iterator.next()
        XCTAssertEqual([first, second], [1, 2])
        XCTAssertEqual(source.log, ["pause", "resume"])
        source.complete()
    }

    func testCancellingTheTaskDisposesOfTheSourceAndEndsTheSequence() async {
        let source = ControlledSource<Int>()
        let task = Task {
            for await _ in source.stream.asInfallible(onErrorFallbackTo: .empty()).values {}
            return Task.isCancelled
        }
        while source.observers == 0 { await Task.yield() }
        task.cancel()
        let wasCancelled = await task.value
        XCTAssertTrue(wasCancelled)
        XCTAssertEqual(source.observers, 0)
    }

    func testAnErrorOfAnInfallibleIsFatalInDebug() throws {
        try assertFatalInDebug(
            "FreshetCoreTests.InfallibleValuesTests/testAnErrorOfAnInfallibleIsFatalInDebug",
            message: "An Infallible has failed: first"
        ) {
            let done = DispatchSemaphore(value: 0)
            Task {
                for await _ in Infallible.just(1).concat(Observable<Int>.error(Fault.first)).values {}
                done.signal()
            }
            done.wait()
        }
    }
}
