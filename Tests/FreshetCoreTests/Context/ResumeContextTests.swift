import FreshetCore
import FreshetTesting
import XCTest

/// Tests that a chain stays in its context when code outside of it resumes it.
final class ResumeContextTests: CoreTestCase {
    private let seen = Log<String>()

    private var recordingUser: @Sendable (Observable<Int>) -> Observable<Int> {
        { [seen] stream in stream.do(onNext: { _ in seen.append(TaskLocals.user) }) }
    }

    private func asUser<Result>(_ name: String, _ work: () throws -> Result) rethrows -> Result {
        try SubscriptionContext.current.binding(TaskLocals.$user, to: name).run(work)
    }

    private func ada(_ count: Int) -> [String] { [String](repeating: "ada", count: count) }

    func testTheHolderOfASubscriptionResumesItInTheContextOfTheChain() {
        let first = PublishSubject<Int>()
        let stream = recordingUser(.concat(first, .from(0..<3)))
        let subscription = asUser("ada") { stream.subscribe(onNext: { [seen] _ in seen.append(TaskLocals.user) }) }
        (subscription as? any Pausable)?.pause()
        first.onCompleted()
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(seen.all, ada(6))
    }

    func testAnAsyncSequenceThatIsReadOutsideResumesItsStreamInTheContextOfTheStream() async throws {
        let stream = recordingUser(.from(0..<200))
        var iterator = asUser("ada") { stream.values.makeAsyncIterator() }
        while try await iterator.next() != nil {}
        XCTAssertEqual(seen.all, ada(200))
    }

    func testABufferThatIsPulledOutsideResumesItsStreamInTheContextOfTheStream() {
        let stream = recordingUser(.from(0..<20))
        let buffer = PullBuffer<Int>(limits: 1...4, onRefill: {})
        asUser("ada") { buffer.fill(from: stream) }
        var isOver = false
        while !isOver {
            if case .element = buffer.pull() { continue }
            isOver = true
        }
        XCTAssertEqual(seen.all, ada(20))
    }

    func testASharedSourceStaysInTheContextThatConnectedIt() {
        let gate = PublishSubject<Int>()
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        let shared = recordingUser(.concat(gate, .from(0..<6))).share()
        let subscriptions = [("ada", first), ("bob", second)].map { name, inner in
            asUser(name) {
                shared.concatMap { $0 == 0 ? inner.asObservable() : .just($0) }.subscribe()
            }
        }
        gate.onCompleted()
        XCTAssertEqual(seen.all, ada(1))
        second.onCompleted()
        first.onCompleted()
        XCTAssertEqual(seen.all, ada(6))
        for subscription in subscriptions { subscription.dispose() }
    }

    func testTheSourceOfGroupsStaysInItsContext() {
        let gate = PublishSubject<Int>()
        let groups = Log<GroupedObservable<Int, Int>>()
        let subscription = asUser("ada") {
            recordingUser(.concat(gate, .from(0..<3))).groupBy { _ in 0 }.subscribe(onNext: { groups.append($0) })
        }
        gate.onNext(0)
        let group = asUser("bob") { groups.all[0].subscribe() }
        (subscription as? any Pausable)?.pause()
        (group as? any Pausable)?.pause()
        gate.onCompleted()
        asUser("bob") { (group as? any Pausable)?.resume() }
        XCTAssertEqual(seen.all, ada(4))
        group.dispose()
        subscription.dispose()
    }

    func testTheOperatorsOfALongChainBeginInTheContextOfTheirPart() {
        @Sendable func long(_ source: Observable<Int>) -> Observable<Int> {
            (0..<200).reduce(source) { chain, _ in chain.map { $0 } }
        }
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let inner = long(subject).bindingTaskLocal(TaskLocals.$user, to: "ada")
        // `sample` sets its first alarm when it receives the subscription.
        let subscription = recordingUser(long(inner).sample(.seconds(1), scheduler: scheduler)).subscribe()
        subject.onNext(1)
        scheduler.advanceTo(2)
        XCTAssertEqual(seen.all, ["nobody"])
        subscription.dispose()
    }

    /// The decision page says so: closures that run at disposal are in the context of the code that disposes.
    func testADisposalStaysInTheContextOfTheCodeThatDisposes() {
        let stream = Observable<Int>.never().do(onDispose: { [seen] in seen.append(TaskLocals.user) })
        let subscription = asUser("ada") { stream.subscribe() }
        subscription.dispose()
        XCTAssertEqual(seen.all, ["nobody"])
    }
}
