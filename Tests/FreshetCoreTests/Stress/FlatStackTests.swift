import Foundation
import FreshetCore
import XCTest

/// Tests that the stack does not grow with the number of elements, streams or attempts.
final class FlatStackTests: CoreTestCase {
    /// Twenty thousand frames overflow the small stack as reliably as a million do, in a fiftieth of the time.
    private static let many = ProcessInfo.processInfo.environment["FRESHET_MILLION"] == nil ? 20_000 : 1_000_000
    private var many: Int { Self.many }

    private func expect(
        _ expected: Int? = nil, _ make: @escaping @Sendable () -> Observable<Int>, line: UInt = #line
    ) {
        let expected = expected ?? many
        onASmallStack {
            let counted = make().reduce(0) { count, _ in count + 1 }.record()
            XCTAssertEqual(counted.events, [.next(expected), .completed], line: line)
        }
    }

    private var numbers: Observable<Int> { .range(start: 0, count: many) }

    func testRule9ConcatKeepsTheStackFlat() {
        let many = many
        expect { .concat((0..<many).lazy.map { Observable.just($0) }) }
        expect { .concat(repeatElement(Observable.just(0), count: many)) }
        expect { Observable.range(start: 0, count: many).map { Observable.just($0) }.concat() }
        expect { .concat((0..<many).lazy.map { Observable.empty().startWith($0) }) }
    }

    func testRule9ConcatMapKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.concatMap { Observable.just($0) } }
    }

    func testRule9ConcatMapEagerKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.concatMapEager(maxConcurrent: 3) { Observable.just($0) } }
    }

    func testRule9ExpandKeepsTheStackFlat() {
        let many = many
        expect { Observable.just(1).expand { $0 < many ? Observable.just($0 + 1) : .empty() } }
        expect { Observable.just(1).expand(maxConcurrent: 1) { $0 < many ? Observable.just($0 + 1) : .empty() } }
        expect {
            Observable.range(start: 0, count: many / 2).expand { $0 < many / 2 ? Observable.just(many) : .empty() }
        }
    }

    func testRule9GroupByKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.groupBy { $0 % 10_000 }.flatMap { $0 } }
    }

    func testRule9MergeWithALimitOfOneKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.map { Observable.just($0) }.merge(maxConcurrent: 1) }
    }

    func testRule9FlatMapKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.flatMap { Observable.just($0) } }
    }

    func testRule9FlatMapLatestKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.flatMapLatest { Observable.just($0) } }
    }

    func testRule9FlatMapFirstKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.flatMapFirst { Observable.just($0) } }
    }

    func testRule9SwitchLatestKeepsTheStackFlat() {
        let numbers = numbers
        expect { numbers.map { Observable.just($0) }.switchLatest() }
    }
}

extension FlatStackTests {

    private func failing(_ times: Int) -> Observable<Int> {
        let attempts = Counter()
        return .create { observer in
            if attempts.increment() < times {
                observer.onError(Fault.first)
            } else {
                observer.onNext(1)
                observer.onCompleted()
            }
            return Disposables.create()
        }
    }

    func testRule9RetryKeepsTheStackFlat() {
        let source = failing(many)
        expect(1) { source.retry() }
        let counted = failing(many), many = many
        expect(1) { counted.retry(many) }
    }

    func testRule9RetryWhenKeepsTheStackFlat() {
        let source = failing(many)
        expect(1) { source.retry(when: { $0 }) }
    }

    func testRule9CatchOfASequenceKeepsTheStackFlat() {
        let many = many
        let source = failing(many)
        expect(1) { .catch(sequence: repeatElement(source, count: many)) }
    }

    func testRule9AStreamThatCatchesItsErrorsWithItselfKeepsTheStackFlat() {
        let source = failing(many)
        expect(1) {
            @Sendable func attempt() -> Observable<Int> { source.catch { _ in attempt() } }
            return attempt()
        }
    }

    func testRule9SequencesKeepTheStackFlat() {
        let many = many
        expect { Observable.repeatElement(0).take(many) }
        expect { Observable.generate(initialState: 0, condition: { $0 < many }, iterate: { $0 + 1 }) }
        expect { Observable.from(0..<many, scheduler: ImmediateScheduler.instance) }
        expect { Observable.repeatElement(0, scheduler: ImmediateScheduler.instance).take(many) }
    }

    func testRule9ADeferredStreamOfItselfKeepsTheStackFlat() {
        let depth = many
        expect(1) {
            @Sendable func descend(_ level: Int) -> Observable<Int> {
                .deferred { level == depth ? .just(level) : descend(level + 1) }
            }
            return descend(0)
        }
    }

    func testRule9ADeferredStreamThatStartsWithAnElementKeepsTheStackFlat() {
        let depth = many
        expect {
            @Sendable func count(_ number: Int) -> Observable<Int> {
                .deferred { number == depth ? .empty() : count(number + 1).startWith(number) }
            }
            return count(0)
        }
    }

    func testRule9ADeferredStreamThatConcatenatesItselfKeepsTheStackFlat() {
        let depth = many
        expect {
            @Sendable func count(_ number: Int) -> Observable<Int> {
                number == depth ? .empty() : Observable.just(number).concat(Observable.deferred { count(number + 1) })
            }
            return count(0)
        }
    }

    func testRule9AnEmptyStreamReplacedByItselfKeepsTheStackFlat() {
        let depth = many
        expect(1) {
            @Sendable func replace(_ number: Int) -> Observable<Int> {
                number == depth ? .just(number) : .empty().ifEmpty(switchTo: .deferred { replace(number + 1) })
            }
            return replace(0)
        }
    }

    func testRule9AStreamThatContinuesWithItselfKeepsItsChainShort() {
        onASmallStack {
            let ticks = PublishSubject<Int>()
            @Sendable func next() -> Observable<Int> { ticks.take(1).concat(Observable.deferred { next() }) }
            let recorder = Recorder<Int>()
            let subscription = next().subscribe(recorder)
            for tick in 0..<20_000 { ticks.onNext(tick) }
            XCTAssertEqual(recorder.elements.count, 20_000)
            subscription.dispose()
        }
    }

    func testRule9AnElementSentInsideAnElementKeepsTheStackFlat() {
        let many = many
        onASmallStack {
            let subject = PublishSubject<Int>()
            let relayed = subject.observe(on: ImmediateScheduler.instance).flatMap { Observable.just($0) }
            let subscription = relayed.subscribe(onNext: { if $0 < many { subject.onNext($0 + 1) } })
            let last = Recorder<Int>()
            let other = subject.filter { $0 == many }.subscribe(last)
            subject.onNext(0)
            XCTAssertEqual(last.elements, [many])
            subscription.dispose()
            other.dispose()
        }
    }

    func testRule9AnElementSentInsideAnElementOfObserveOnKeepsTheStackFlat() {
        let many = many / 2
        onASmallStack {
            let source = ControlledSource<Int>()
            let last = Locked(0)
            let responding = source.stream.observe(on: ImmediateScheduler.instance).subscribe(onNext: { number in
                last.withLock { $0 = number }
                if number < many { source.send(number + 1) }
            })
            source.send(0)
            XCTAssertEqual(last.withLock { $0 }, many)
            responding.dispose()
        }
    }
}
