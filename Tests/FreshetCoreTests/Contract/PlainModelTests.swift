import Foundation
import XCTest

@testable import FreshetCore

/// Tests that the optimized operators have the same events as the simple ones, whatever happens inside their observers.
final class PlainModelTests: CoreTestCase {
    private typealias Way = PlainFlattening.Way

    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let mixed = (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
            return mixed ^ (mixed >> 33)
        }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
    }

    /// One event for the subject of that number, or the end of the subscription.
    private enum Step {
        case send(Int, PlainSubject.Event)
        case dispose
    }

    private struct Script {
        var streams: [PlainFlattening.Stream?] = []
        var steps: [Step] = []
        /// The steps that the observer performs inside each of its events, by the event's number.
        var reactions: [[Step]] = []
        var isLong = false

        init(_ seed: Int) {
            var dice = Dice(state: UInt64(seed))
            let fails = dice.roll(4) == 0
            for number in 0..<12 {
                let element = 100 * (number + 1)
                switch dice.roll(9) {
                case 0, 1: streams.append(.init(prefix: [element], isAtOnce: true))
                case 2: streams.append(.init(prefix: [], isAtOnce: true))
                case 3: streams.append(.init(prefix: [element, element + 1]))
                case 4: streams.append(.init(prefix: [element], tail: 1 + dice.roll(3)))
                case 5: streams.append(fails ? .init(prefix: [element], fails: true) : .init(prefix: [element]))
                case 6: streams.append(fails ? nil : .init(prefix: [element, element + 1], tail: 1))
                default: streams.append(.init(prefix: [], tail: 1 + dice.roll(3)))
                }
            }
            for _ in 0..<24 { steps.append(Self.step(&dice, fails)) }
            for _ in 0..<24 {
                reactions.append(dice.roll(3) > 0 ? [] : (0...dice.roll(2)).map { _ in Self.step(&dice, fails) })
            }
            isLong = dice.roll(3) == 0
        }

        private static func step(_ dice: inout Dice, _ fails: Bool) -> Step {
            switch dice.roll(24) {
            case 0: .send(dice.roll(4), .completed)
            case 1: fails ? .send(dice.roll(4), .failed) : .send(1 + dice.roll(3), .completed)
            case 2: dice.roll(4) == 0 ? .dispose : .send(1, .next(dice.roll(12)))
            case 3...12: .send(0, .next(dice.roll(12)))
            default: .send(1 + dice.roll(3), .next(dice.roll(12)))
            }
        }
    }

    private func plain(_ way: Way, _ script: Script) -> [PlainSubject.Event] {
        let subjects = (0..<4).map { _ in PlainSubject() }
        var received: [PlainSubject.Event] = []
        var flattening: PlainFlattening?
        func act(_ step: Step) {
            switch step {
            case .send(let subject, let event): subjects[subject].send(event)
            case .dispose: flattening?.dispose()
            }
        }
        flattening = PlainFlattening(way, of: subjects[0], subjects, { script.streams[$0] }) { event in
            let number = received.count
            received.append(event)
            if number < script.reactions.count { script.reactions[number].forEach(act) }
        }
        for step in script.steps { act(step) }
        flattening?.dispose()
        return received
    }

    private func real(_ way: Way, _ script: Script) -> [PlainSubject.Event] {
        let subjects = (0..<4).map { _ in PublishSubject<Int>() }
        let received = Log<PlainSubject.Event>()
        let end = SingleAssignmentDisposable()
        let act: @Sendable (Step) -> Void = { step in
            switch step {
            case .send(let subject, .next(let element)): subjects[subject].onNext(element)
            case .send(let subject, .failed): subjects[subject].onError(Fault.first)
            case .send(let subject, .completed): subjects[subject].onCompleted()
            case .dispose: end.dispose()
            }
        }
        let select: @Sendable (Int) throws -> Observable<Int> = { number in
            guard let stream = script.streams[number] else { throw Fault.second }
            let tail: Observable<Int>? = stream.tail.map { subjects[$0] } ?? (stream.fails ? .error(Fault.first) : nil)
            if let tail {
                let whole = stream.prefix.reversed().reduce(tail) { $0.startWith($1) }
                return script.isLong ? (0..<70).reduce(whole) { chain, _ in chain.map { $0 } } : whole
            }
            if stream.isAtOnce { return stream.prefix.first.map { .just($0) } ?? .empty() }
            return Observable.from(stream.prefix)
        }
        let outer =
            script.isLong ? (0..<130).reduce(subjects[0].asObservable()) { chain, _ in chain.map { $0 } } : subjects[0]
        let stream: Observable<Int> =
            switch way {
            case .all: outer.flatMap(select)
            case .latest: outer.flatMapLatest(select)
            case .first: outer.flatMapFirst(select)
            case .one: outer.concatMap(select)
            case .two: outer.limitedMerge(2, select)
            }
        end.setDisposable(
            stream.subscribe { event in
                let number = received.all.count
                switch event {
                case .next(let element): received.append(.next(element))
                case .error: received.append(.failed)
                case .completed: received.append(.completed)
                }
                if number < script.reactions.count { script.reactions[number].forEach(act) }
            })
        for step in script.steps { act(step) }
        end.dispose()
        XCTAssertTrue(subjects.allSatisfy { !$0.hasObservers })
        return received.all
    }

    func testOptimizedFlatteningEmitsTheEventsOfThePlainModel() {
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 200
        for way in Way.allCases {
            var differing: [Int] = []
            for seed in 0..<count {
                let script = Script(seed)
                if plain(way, script) != real(way, script) { differing.append(seed) }
            }
            guard let seed = differing.first else { continue }
            let script = Script(seed)
            XCTFail(
                "\(way): \(differing.count) scripts, the first \(seed): \(plain(way, script)) \(real(way, script)) \(script)"
            )
        }
    }
}
