import FreshetCore
import FreshetTesting
import XCTest

final class SingleTests: CoreTestCase {
    private func outcome<Element>(of single: Single<Element>) -> String {
        let log = Locked<[String]>([])
        single.subscribe(
            onSuccess: { element in log.withLock { $0.append("\(element)") } },
            onFailure: { error in log.withLock { $0.append("\(error)") } },
            onDisposed: { log.withLock { $0.append("end") } }
        ).dispose()
        return log.withLock { $0 }.joined(separator: " ")
    }

    func testASingleSucceedsOrFailsOnce() {
        XCTAssertEqual(outcome(of: Single.just(1)), "1 end")
        XCTAssertEqual(outcome(of: Single<Int>.error(Fault.first)), "first end")
        XCTAssertEqual(outcome(of: Single<Int>.never()), "end")
        let twice = Single<Int>.create { observer in
            observer(.success(1))
            observer(.success(2))
            observer(.failure(Fault.first))
            return Disposables.create()
        }
        XCTAssertEqual(outcome(of: twice), "1 end")
        let results = Locked<[Int]>([])
        twice.subscribe { result in results.withLock { $0.append((try? result.get()) ?? -1) } }.dispose()
        XCTAssertEqual(results.withLock { $0 }, [1])
    }

    func testTheSuccessIsTransformed() {
        let one = Single.just(1)
        XCTAssertEqual(outcome(of: one.map { $0 + 1 }), "2 end")
        XCTAssertEqual(outcome(of: one.map { _ -> Int in throw Fault.first }), "first end")
        XCTAssertEqual(outcome(of: one.flatMap { .just($0 + 2) }), "3 end")
        XCTAssertEqual(outcome(of: one.flatMap { _ -> Single<Int> in throw Fault.first }), "first end")
        XCTAssertEqual(outcome(of: one.filter { $0 > 1 }.asSingle()), "\(RxError.noElements) end")
        XCTAssertEqual(outcome(of: one.compactMap { $0 == 1 ? "x" : nil }.asSingle()), "x end")
        XCTAssertEqual(outcome(of: one.flatMapMaybe { _ in Maybe<Int>.empty() }.ifEmpty(default: 7)), "7 end")
        XCTAssertEqual(outcome(of: one.flatMapCompletable { _ in .empty() }.andThen(Single.just(8))), "8 end")
        XCTAssertEqual(outcome(of: one.asCompletable().andThen(Single.just(9))), "9 end")
    }

    func testCatchAndRetryRecoverFromAFailure() {
        let failing = Single<Int>.error(Fault.first)
        XCTAssertEqual(outcome(of: failing.catchAndReturn(4)), "4 end")
        XCTAssertEqual(outcome(of: failing.catch { _ in .just(5) }), "5 end")
        XCTAssertEqual(outcome(of: failing.catch { _ in throw Fault.second }), "second end")
        let attempts = Locked(0)
        let third = Single<Int>.deferred {
            attempts.withLock { $0 += 1 }
            return attempts.withLock { $0 } < 3 ? .error(Fault.first) : .just(6)
        }
        XCTAssertEqual(outcome(of: third.retry(3)), "6 end")
        attempts.withLock { $0 = 0 }
        XCTAssertEqual(outcome(of: third.retry()), "6 end")
        attempts.withLock { $0 = 0 }
        XCTAssertEqual(outcome(of: third.retry(when: { (errors: Observable<any Error>) in errors })), "6 end")
    }

    func testTwoToEightSinglesAreZipped() {
        XCTAssertEqual(outcome(of: Single.zip(Single.just(1), Single.just("a"))), #"(1, "a") end"#)
        XCTAssertEqual(outcome(of: Single.zip(Single.just(1), Single.just("a")) { "\($0)\($1)" }), "1a end")
        let one = Single.just(1)
        let sum = Single.zip(one, one, one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        XCTAssertEqual(outcome(of: sum), "8 end")
        XCTAssertEqual(outcome(of: Single.zip([one, .just(2)])), "[1, 2] end")
        XCTAssertEqual(outcome(of: Single<Int>.zip([Single<Int>]())), "[] end")
        XCTAssertEqual(outcome(of: Single.zip([one, one]) { $0.reduce(0, +) }), "2 end")
        XCTAssertEqual(outcome(of: Single.zip(one, Single<Int>.error(Fault.first)) { $0 + $1 }), "first end")
    }

    func testADisposalDisposesOfTheSource() {
        let cancelled = BooleanDisposable()
        let single = Single<Int>.create { _ in cancelled }
        single.subscribe { _ in }.dispose()
        XCTAssertTrue(cancelled.isDisposed)
    }

    func testDoCallsItsClosuresInOrder() {
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { line in log.withLock { $0.append(line) } }
        let single = Single.just(1).do(
            onSuccess: { note("on \($0)") }, afterSuccess: { note("after \($0)") }, onSubscribe: { note("subscribe") },
            onSubscribed: { note("subscribed") }, onDispose: { note("dispose") })
        single.subscribe(onSuccess: { note("success \($0)") }).dispose()
        XCTAssertEqual(Array(log.withLock { $0 }.prefix(4)), ["subscribe", "on 1", "success 1", "after 1"])
        XCTAssertTrue(log.withLock { $0 }.contains("dispose"))
    }
}
