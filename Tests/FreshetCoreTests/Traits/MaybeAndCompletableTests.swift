import FreshetCore
import XCTest

final class MaybeAndCompletableTests: CoreTestCase {
    private func outcome<Element>(of maybe: Maybe<Element>) -> String {
        let log = Locked<[String]>([])
        maybe.subscribe(
            onSuccess: { element in log.withLock { $0.append("\(element)") } },
            onError: { error in log.withLock { $0.append("\(error)") } },
            onCompleted: { log.withLock { $0.append("done") } },
            onDisposed: { log.withLock { $0.append("end") } }
        ).dispose()
        return log.withLock { $0 }.joined(separator: " ")
    }

    private func outcome(of completable: Completable) -> String {
        let log = Locked<[String]>([])
        completable.subscribe(
            onCompleted: { log.withLock { $0.append("done") } },
            onError: { error in log.withLock { $0.append("\(error)") } },
            onDisposed: { log.withLock { $0.append("end") } }
        ).dispose()
        return log.withLock { $0 }.joined(separator: " ")
    }

    func testAMaybeSucceedsCompletesOrFails() {
        XCTAssertEqual(outcome(of: Maybe.just(1)), "1 end")
        XCTAssertEqual(outcome(of: Maybe<Int>.empty()), "done end")
        XCTAssertEqual(outcome(of: Maybe<Int>.error(Fault.first)), "first end")
        XCTAssertEqual(
            outcome(
                of: Maybe<Int>.create {
                    $0(.success(1)); return Disposables.create()
                }), "1 end")
        XCTAssertEqual(
            outcome(
                of: Maybe<Int>.create {
                    $0(.completed); return Disposables.create()
                }), "done end")
        let failing = Maybe<Int>.create { observer in
            observer(.error(Fault.first))
            return Disposables.create()
        }
        XCTAssertEqual(outcome(of: failing), "first end")
    }

    func testAMaybeIsTransformed() {
        let one = Maybe.just(1)
        XCTAssertEqual(outcome(of: one.map { $0 + 1 }), "2 end")
        XCTAssertEqual(outcome(of: one.filter { $0 > 1 }), "done end")
        XCTAssertEqual(outcome(of: one.compactMap { _ in nil as Int? }), "done end")
        XCTAssertEqual(outcome(of: one.flatMap { .just($0 * 3) }), "3 end")
        XCTAssertEqual(outcome(of: one.flatMapCompletable { _ in .empty() }), "done end")
        XCTAssertEqual(outcome(of: one.asCompletable()), "done end")
        XCTAssertEqual(outcome(of: Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(4))), "4 end")
        XCTAssertEqual(outcome(of: Maybe<Int>.empty().ifEmpty(switchTo: Single.just(5)).asMaybe()), "5 end")
        XCTAssertEqual(outcome(of: Maybe<Int>.error(Fault.first).catchAndReturn(6)), "6 end")
        XCTAssertEqual(outcome(of: Maybe.zip(one, .just("a")) { "\($0)\($1)" }), "1a end")
        XCTAssertEqual(outcome(of: Maybe.zip(one, Maybe<Int>.empty()) { $0 + $1 }), "done end")
    }

    func testACompletableCompletesOrFails() {
        XCTAssertEqual(outcome(of: .empty()), "done end")
        XCTAssertEqual(outcome(of: .error(Fault.first)), "first end")
        XCTAssertEqual(outcome(of: .never()), "end")
        XCTAssertEqual(
            outcome(
                of: .create {
                    $0(.completed); return Disposables.create()
                }), "done end")
        XCTAssertEqual(
            outcome(
                of: .create {
                    $0(.error(Fault.first)); return Disposables.create()
                }), "first end")
    }

    func testAndThenSubscribesWhenTheCompletableCompletes() {
        let source = ControlledSource<Never>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.asCompletable().andThen(Observable.of(1, 2)).subscribe(recorder)
        XCTAssertEqual(recorder.events, [])
        source.complete()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        subscription.dispose()
        XCTAssertEqual(outcome(of: Completable.empty().andThen(Maybe.just(1))), "1 end")
        XCTAssertEqual(outcome(of: Completable.empty().andThen(Completable.empty())), "done end")
        XCTAssertEqual(outcome(of: Completable.error(Fault.first).andThen(Maybe.just(1))), "first end")
    }

    func testCompletablesAreConcatenatedMergedAndZipped() {
        XCTAssertEqual(outcome(of: Completable.concat(.empty(), .empty())), "done end")
        XCTAssertEqual(outcome(of: Completable.empty().concat(.error(Fault.first))), "first end")
        XCTAssertEqual(outcome(of: Completable.merge(.empty(), .empty())), "done end")
        XCTAssertEqual(outcome(of: Completable.merge([.empty(), .error(Fault.first)])), "first end")
        XCTAssertEqual(outcome(of: Completable.merge([])), "done end")
        XCTAssertEqual(outcome(of: Completable.zip(.empty(), .never())), "end")
    }
}
