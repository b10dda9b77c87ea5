import FreshetCore
import FreshetLoop
import XCTest

final class LoopBoundTests: LoopTestCase {
    private final class Counter {
        var count = 0
    }

    func testAValueSentToALoopIsReadAndWrittenThere() {
        let counter = LoopBound.sending(Counter(), on: loop)
        onLoop { counter.value.count += 1 }
        let count = Box<Int>(0)
        onLoop { count.update { $0 = counter.value.count } }
        XCTAssertEqual(count.value, 1)
    }

    func testAValueIsChangedInPlace() {
        let numbers = LoopBound.sending([1], on: loop)
        let seen = Box<[Int]>([])
        onLoop {
            numbers.value.append(2)
            seen.update { $0 = numbers.value }
        }
        XCTAssertEqual(seen.value, [1, 2])
    }

    func testAnActorThatRunsAfterTheShutdownUsesItsValues() async {
        let loop = loop!
        let owner = Owner(on: loop)
        await owner.increment()
        await Task.detached { loop.shutdown() }.value
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await owner.increment() } }
        }
        let count = await owner.count()
        XCTAssertEqual(count, 51)
    }

    private actor Owner {
        private let loop: Loop
        private let counter: LoopBound<Counter>

        init(on loop: Loop) {
            self.loop = loop
            counter = .sending(Counter(), on: loop)
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        func increment() { counter.value.count += 1 }
        func count() -> Int { counter.value.count }
    }

    func testABoundClosureRunsOnTheLoopThatMadeIt() {
        let seen = Box<Bool>(false)
        onLoop { [loop] in
            let counter = Counter()
            let work = loop!.bound {
                counter.count += 1
                seen.update { $0 = loop!.isCurrent && counter.count == 1 }
            }
            loop!.execute(work)
        }
        onLoop {}
        XCTAssertEqual(seen.value, true)
    }
}
