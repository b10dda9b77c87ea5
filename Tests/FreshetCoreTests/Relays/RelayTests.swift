import FreshetCore
import XCTest

final class RelayTests: CoreTestCase {
    func testAPublishRelayEmitsOnlyElementsAfterTheSubscription() {
        let relay = PublishRelay<Int>()
        let log = Log<Event<Int>>()
        relay.accept(1)
        let subscription = relay.subscribe { log.append($0) }
        relay.accept(2)
        relay.accept(3)
        subscription.dispose()
        relay.accept(4)
        XCTAssertEqual(log.all, [.next(2), .next(3)])
    }

    func testABehaviorRelayReturnsItsCurrentValue() {
        let relay = BehaviorRelay(value: 1)
        XCTAssertEqual(relay.value, 1)
        let log = Log<Int>()
        let subscription = relay.subscribe(onNext: { log.append($0) })
        relay.accept(2)
        XCTAssertEqual(relay.value, 2)
        relay.accept(relay.value + 1)
        XCTAssertEqual(log.all, [1, 2, 3])
        subscription.dispose()
    }

    func testAReplayRelayReplaysTheLastElements() {
        let bounded = ReplayRelay<Int>.create(bufferSize: 2)
        let unbounded = ReplayRelay<Int>.createUnbound()
        for number in 1...3 {
            bounded.accept(number)
            unbounded.accept(number)
        }
        XCTAssertEqual(bounded.record().events, [.next(2), .next(3)])
        XCTAssertEqual(unbounded.record().events, [.next(1), .next(2), .next(3)])
    }

    func testARelayConvertsToAnInfallibleAndAnObservable() {
        let publish = PublishRelay<Int>()
        let behavior = BehaviorRelay(value: 1)
        let replay = ReplayRelay<Int>.createUnbound()
        let log = Log<Int>()
        let bag = DisposeBag()
        for stream in [publish.asInfallible(), behavior.asInfallible(), replay.asInfallible()] {
            stream.subscribe(onNext: { log.append($0) }).disposed(by: bag)
        }
        for stream in [publish.asObservable(), behavior.asObservable(), replay.asObservable()] {
            stream.map { $0 * 10 }.subscribe(onNext: { log.append($0) }).disposed(by: bag)
        }
        publish.accept(2)
        behavior.accept(3)
        replay.accept(4)
        XCTAssertEqual(log.all, [1, 10, 2, 20, 3, 30, 4, 40])
    }

    func testRelaysAreCombined() {
        let a = BehaviorRelay(value: 1)
        let b = BehaviorRelay(value: "x")
        let recorder = Recorder<String>()
        let subscription = Observable.combineLatest(a, b) { "\($0)\($1)" }.subscribe(recorder)
        a.accept(2)
        b.accept("y")
        XCTAssertEqual(recorder.elements, ["1x", "2x", "2y"])
        subscription.dispose()
    }

    func testAReleasedRelayReleasesItsObservers() {
        var relay: PublishRelay<Int>? = PublishRelay()
        weak var held: Log<Int>?
        do {
            let log = Log<Int>()
            held = log
            _ = relay?.subscribe(onNext: { log.append($0) })
        }
        XCTAssertNotNil(held)
        relay = nil
        XCTAssertNil(held)
    }

    func testAnElementAcceptedInsideOnNextReachesAllObserversAfterwards() {
        let relay = BehaviorRelay(value: 0)
        let first = Log<Int>()
        let second = Log<Int>()
        let one = relay.subscribe(onNext: { element in
            first.append(element)
            guard element < 3 else { return }
            relay.accept(element + 1)
            XCTAssertEqual(relay.value, element + 1)
        })
        XCTAssertEqual(first.all, [0, 1, 2, 3])
        let other = relay.subscribe(onNext: { second.append($0) })
        relay.accept(1)
        XCTAssertEqual(first.all, [0, 1, 2, 3, 1, 2, 3])
        XCTAssertEqual(second.all, [3, 1, 2, 3])
        one.dispose()
        other.dispose()
    }

    func testABehaviorRelayLosesAndRepeatsNoElementOfManyThreads() {
        struct Message: Equatable, Sendable { let author: Int, number: Int }
        let relay = BehaviorRelay(value: Message(author: 16, number: 0))
        let first = Recorder<Message>()
        // The observer responds to every fiftieth message with a message of another author.
        let second = Recorder<Message> { event in
            guard let message = event.element, message.author < 8, message.number % 50 == 0 else { return }
            relay.accept(Message(author: message.author + 8, number: message.number / 50))
        }
        let subscriptions = Disposables.create(relay.subscribe(first), relay.subscribe(second))
        onThreads(8) { author in
            for number in 0..<5_000 { relay.accept(Message(author: author, number: number)) }
        }
        subscriptions.dispose()
        XCTAssertEqual([first.overlaps, second.overlaps], [0, 0])
        XCTAssertEqual(first.elements, second.elements)
        XCTAssertEqual(first.elements.last, relay.value)
        let numbers = Dictionary(grouping: first.elements, by: \.author).mapValues { $0.map(\.number) }
        XCTAssertEqual(numbers.count, 17)
        for author in 0..<8 {
            XCTAssertEqual(numbers[author], Array(0..<5_000))
            XCTAssertEqual(numbers[author + 8], Array(0..<100))
        }
    }
}
