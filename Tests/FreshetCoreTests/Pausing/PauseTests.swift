import FreshetCore
import FreshetTesting
import XCTest

/// Tests that a pause of the subscription and a resume reach every source of every operator.
final class PauseTests: CoreTestCase {
    private func eachCase(_ body: (String, PauseCase) throws -> Void) rethrows {
        for (name, cases) in PauseTable.all.sorted(by: { $0.key < $1.key }) {
            for one in cases { try body(name, one) }
        }
    }

    func testEveryOperatorHasAnEntryInThePauseTable() throws {
        let operators = Set(try OperatorInventory.operators().map(\.name))
        let missing = operators.filter { PauseTable.all[$0] == nil }.sorted()
        XCTAssertEqual(missing, [], "\(missing) need an entry in \(PauseTable.path)")
        XCTAssertEqual(PauseTable.all.keys.filter { !operators.contains($0) }, [], "there are no such operators")
    }

    func testAPauseAndAResumeReachEverySource() {
        eachCase { name, one in
            guard case .reaches(let count, let prime, let make) = one else { return }
            let stage = PauseStage()
            stage.observe(make(stage))
            prime(stage)
            let sources = stage.inputs[0..<count]
            XCTAssertEqual(
                sources.map(\.observers), Array(repeating: 1, count: count), "\(name): not all are subscribed to")
            stage.subscription.pause()
            XCTAssertEqual(sources.map(\.log.last), Array(repeating: "pause", count: count), name)
            let before = stage.log.all
            stage.scheduler.advanceBy(50)
            XCTAssertEqual(stage.log.all, before, "\(name): time alone makes elements of a pause")
            stage.subscription.resume()
            stage.scheduler.advanceBy(1)
            let live = sources.filter { $0.observers > 0 }
            XCTAssertEqual(live.map(\.log.last), live.map { _ in "resume" }, name)
            stage.end()
            XCTAssertEqual(stage.inputs.map(\.observers), stage.inputs.map { _ in 0 }, name)
        }
    }

    func testASourceSubscribedToDuringAPauseIsPaused() {
        eachCase { name, one in
            guard case .reaches(let count, let prime, let make) = one else { return }
            let stage = PauseStage()
            stage.subscription.pause()
            stage.observe(make(stage))
            prime(stage)
            stage.scheduler.advanceBy(50)
            for input in stage.inputs where input.observers > 0 { XCTAssertEqual(input.log.last, "pause", name) }
            stage.subscription.resume()
            stage.scheduler.advanceBy(1)
            for input in stage.inputs[0..<count] { XCTAssertNotEqual(input.log.last, "pause", name) }
            stage.end()
        }
    }

    func testAPausedSourceEmitsNothing() {
        eachCase { name, one in
            guard case .halts(let make) = one else { return }
            let stage = PauseStage()
            stage.subscription.pause()
            // The stream subscribes later, so that the pause can come first.
            let stream = Self.erased(make(stage)).subscribe(on: stage.scheduler)
            stage.observe(stream) { if stage.log.all == ["next"] { stage.subscription.pause() } }
            stage.scheduler.advanceBy(50)
            XCTAssertEqual(stage.log.all, [], name)
            stage.subscription.resume()
            stage.scheduler.advanceBy(50)
            XCTAssertEqual(stage.log.all.filter { $0 == "next" }.count, 1, name)
            stage.subscription.resume()
            stage.scheduler.advanceBy(50)
            XCTAssertGreaterThan(stage.log.all.count, 1, name)
            stage.end()
        }
    }

    private static func erased(_ stream: some ObservableConvertibleType) -> Observable<Void> {
        stream.asObservable().map { _ in }
    }

    func testEachTestNamedInThePauseTableExists() throws {
        let tests = try OperatorInventory.files(below: "Tests/FreshetCoreTests").map(OperatorInventory.text).joined()
        eachCase { name, one in
            guard case .isShown(let test) = one else { return }
            XCTAssertTrue(tests.contains("func \(test)()"), "\(name): there is no \(test)")
        }
    }
}
