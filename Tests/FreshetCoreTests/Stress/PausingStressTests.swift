import FreshetCore
import XCTest

/// Tests streams that a slow consumer on other threads pauses and resumes thousands of times: no element is lost, repeated or
/// out of order, and no source stays paused.
final class PausingStressTests: StressCase {
    private let numbers = Observable.range(start: 0, count: 2000)

    private func expectAllInOrder(
        _ stream: Observable<Int>, _ expected: [Int] = Array(0..<2000), line: UInt = #line
    ) {
        let held = stream.observe(on: ThreadsScheduler(), buffering: 1...4)
        XCTAssertEqual(recordToTheEnd(of: held, line: line).elements, expected, line: line)
        let again = stream.observe(on: ThreadsScheduler(), buffering: 0...1)
        XCTAssertEqual(recordToTheEnd(of: again, line: line).elements, expected, line: line)
    }

    func testRule14PausedFlatteningOperatorsLoseNoElement() {
        expectAllInOrder(numbers.flatMap { Observable.just($0) })
        expectAllInOrder(numbers.concatMap { Observable.just($0) })
        expectAllInOrder(numbers.concatMap { Observable.of($0).startWith() })
        expectAllInOrder(numbers.map { Observable.just($0) }.merge(maxConcurrent: 1))
        expectAllInOrder(numbers.concatMapEager(maxConcurrent: 3) { Observable.just($0) })
        expectAllInOrder(numbers.parallelMap(on: [ThreadsScheduler(), ThreadsScheduler()]) { $0 })
        expectAllInOrder(numbers.mergeScan(-1, maxConcurrent: 1) { state, _ in Observable.just(state + 1) })
        expectAllInOrder(numbers.switchScan(-1) { state, _ in Observable.just(state + 1) })
        expectAllInOrder(Observable.just(0).expand { $0 < 1999 ? Observable.just($0 + 1) : .empty() })
        expectAllInOrder(
            Observable.range(start: 0, count: 20).concatMap { Observable.range(start: $0 * 100, count: 100) })
    }

    func testRule14PausedSequencesOfStreamsLoseNoElement() {
        let parts = (0..<20).map { Observable.range(start: $0 * 100, count: 100) }
        expectAllInOrder(.concat(parts))
        expectAllInOrder(.concatDelayError(parts))
        expectAllInOrder(.concat(parts.lazy.map { $0.catchAndReturn(-1) }))
        expectAllInOrder(.concat((0..<2000).map { Observable.just($0) }))
        let attempts = Counter()
        let failing = Observable<Int>.deferred {
            let part = (attempts.increment() - 1) % 20
            return part == 19 ? parts[19] : parts[part].concat(Observable.error(Fault.first))
        }
        expectAllInOrder(failing.retry())
        expectAllInOrder(failing.retry(when: { (errors: Observable<any Error>) in errors }))
        @Sendable func count(_ number: Int) -> Observable<Int> {
            .deferred { number == 2000 ? .empty() : count(number + 1).startWith(number) }
        }
        expectAllInOrder(count(0))
    }

    func testRule14PausedCombiningAndSharingOperatorsLoseNoElement() {
        expectAllInOrder(.zip(numbers, numbers) { max($0, $1) })
        expectAllInOrder(.zip([numbers, numbers, numbers]) { $0[0] })
        expectAllInOrder(numbers.withLatestFrom(Observable.just(0)) { $0 + $1 })
        expectAllInOrder(numbers.take(until: Observable<Int>.never()))
        expectAllInOrder(numbers.share(replay: 1))
        expectAllInOrder(numbers.groupBy { $0 % 3 }.flatMap { $0 })
        expectAllInOrder(numbers.materialize().dematerialize())
        expectAllInOrder(numbers.onOverflow(.buffer(8)))
    }

    func testRule14PausedSourcesOnOtherThreadsLoseNoElement() {
        let source = numbers.subscribe(on: ThreadsScheduler())
        expectAllInOrder(source.concatMap { Observable.just($0) })
        expectAllInOrder(source.observe(on: ThreadsScheduler(), buffering: 2...8).map { $0 })
        expectAllInOrder(onItsOwnThread(0, 2000).concatMap { Observable.just($0) })
        expectAllInOrder(
            onItsOwnThread(0, 2000).flatMap { Observable.just($0, scheduler: ThreadsScheduler()) }
                .toArray().asObservable().flatMap { Observable.from($0.sorted()) })
        expectAllInOrder(
            onItsOwnThread(0, 2000).concatMapEager(maxConcurrent: 4) {
                Observable.just($0, scheduler: ThreadsScheduler())
            })
    }
}
