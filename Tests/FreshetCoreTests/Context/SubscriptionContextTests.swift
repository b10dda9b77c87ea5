import FreshetCore
import FreshetTesting
import XCTest

/// Tests the task-local values that closures read, wherever they run.
final class SubscriptionContextTests: CoreTestCase {
    private let seen = Log<String>()

    /// Logs the user at each element.
    private var recordingUser: @Sendable (_ position: String, _ stream: Observable<Int>) -> Observable<Int> {
        { [seen] position, stream in stream.do(onNext: { _ in seen.append("\(position): \(TaskLocals.user)") }) }
    }

    private func subscribe(_ stream: Observable<Int>) {
        _ = stream.subscribe(onNext: { [seen] _ in seen.append("subscriber: \(TaskLocals.user)") })
    }

    func testABoundValueIsReadUpstreamAndNotDownstream() {
        let stream = recordingUser("above", .just(1)).bindingTaskLocal(TaskLocals.$user, to: "ada")
        subscribe(recordingUser("below", stream))
        XCTAssertEqual(seen.all, ["above: ada", "below: nobody", "subscriber: nobody"])
        XCTAssertEqual(TaskLocals.user, "nobody")
    }

    func testASubscriberReadsTheContextThatIsCurrentWhenItSubscribes() {
        let subject = PublishSubject<Int>()
        let context = SubscriptionContext.current.binding(TaskLocals.$user, to: "ada")
        context.run { subscribe(recordingUser("above", subject)) }
        subject.onNext(1)
        XCTAssertEqual(seen.all, ["above: ada", "subscriber: ada"])
    }

    func testEachObserverOfAHotStreamHasItsOwnContext() {
        let subject = PublishSubject<Int>()
        let shared = subject.share()
        subscribe(recordingUser("first", shared).bindingTaskLocal(TaskLocals.$user, to: "ada"))
        subscribe(recordingUser("second", shared).bindingTaskLocal(TaskLocals.$user, to: "bob"))
        subscribe(recordingUser("third", shared))
        subject.onNext(1)
        subject.onCompleted()
        XCTAssertEqual(
            seen.all,
            [
                "first: ada", "subscriber: nobody", "second: bob", "subscriber: nobody", "third: nobody",
                "subscriber: nobody",
            ])
    }

    func testAnElementSentInOneContextIsReceivedInTheContextOfTheObserver() {
        let subject = PublishSubject<Int>()
        subscribe(recordingUser("inner", subject).bindingTaskLocal(TaskLocals.$user, to: "ada"))
        subscribe(
            Observable.just(1).do(onNext: subject.onNext).bindingTaskLocal(TaskLocals.$user, to: "bob"))
        subscribe(recordingUser("outside", subject))
        SubscriptionContext.current.binding(TaskLocals.$user, to: "eve").run { subject.onNext(2) }
        XCTAssertEqual(
            seen.all,
            [
                "inner: ada", "subscriber: nobody", "subscriber: nobody", "inner: ada", "subscriber: nobody",
                "outside: nobody", "subscriber: nobody",
            ])
    }

    func testABoundValueIsReadOnEveryThread() {
        let (one, other) = (TestThread(), TestThread())
        let user: @Sendable (Int) -> String = { "\($0) \(TaskLocals.user)" }
        let recorder = Recorder<String>()
        let disposable = Observable.of(1, 2)
            .subscribe(on: one).map(user)
            .observe(on: other).map { "\($0) \(TaskLocals.user)" }
            .bindingTaskLocal(TaskLocals.$user, to: "ada")
            .subscribe(recorder)
        one.finish()
        other.finish()
        disposable.dispose()
        XCTAssertEqual(recorder.elements, ["1 ada ada", "2 ada ada"])
    }

    func testABoundValueIsReadAfterADelay() {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = Observable<Int>.timer(.seconds(1), period: .seconds(1), scheduler: scheduler).take(2)
            .delay(.seconds(3), scheduler: scheduler)
            .flatMap { number in Observable.just(number).delaySubscription(.seconds(1), scheduler: scheduler) }
        subscribe(recordingUser("late", stream).bindingTaskLocal(TaskLocals.$user, to: "ada"))
        scheduler.start()
        XCTAssertEqual(
            seen.all, ["late: ada", "subscriber: nobody", "late: ada", "subscriber: nobody"])
    }

    func testInnerStreamsRunInTheContextOfTheOuterStream() {
        let responses = PublishSubject<Int>()
        let stream = Observable.of(1, 2).flatMap { [recordingUser] _ in recordingUser("inner", responses) }
        subscribe(stream.bindingTaskLocal(TaskLocals.$user, to: "ada"))
        responses.onNext(7)
        responses.onCompleted()
        XCTAssertEqual(
            seen.all, ["inner: ada", "subscriber: nobody", "inner: ada", "subscriber: nobody"])
    }

    func testARetryRunsInTheContextOfTheFirstAttempt() {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = Observable<Int>.deferred { [seen] in
            seen.append("attempt: \(TaskLocals.user)")
            return .error(Fault.first)
        }
        .retry(.delayed(.seconds(1), maxAttempts: 2), scheduler: scheduler)
        .catchAndReturn(0)
        subscribe(stream.bindingTaskLocal(TaskLocals.$user, to: "ada"))
        scheduler.start()
        XCTAssertEqual(seen.all, ["attempt: ada", "attempt: ada", "subscriber: nobody"])
    }

    func testAStreamThatStartsAtAResumeRunsInItsOwnContext() {
        let (elements, first) = (PublishSubject<Int>(), PublishSubject<Int>())
        let stream = elements.concatMap { [recordingUser] number in
            number == 1 ? first.asObservable() : recordingUser("inner", .just(number))
        }
        let recorder = Recorder<Int>()
        let subscription = stream.bindingTaskLocal(TaskLocals.$user, to: "ada").subscribe(recorder)
        elements.onNext(1)
        elements.onNext(2)
        (subscription as? any Pausable)?.pause()
        first.onCompleted()
        XCTAssertEqual(seen.all, [])
        SubscriptionContext.current.binding(TaskLocals.$user, to: "eve").run {
            (subscription as? any Pausable)?.resume()
        }
        XCTAssertEqual(seen.all, ["inner: ada"])
        elements.onCompleted()
        XCTAssertTrue(recorder.hasCompleted)
    }

    func testTheInnermostBindingOverridesTheOuterOne() {
        let stream = recordingUser("inner", .just(1)).bindingTaskLocal(TaskLocals.$user, to: "ada")
        subscribe(recordingUser("outer", stream).bindingTaskLocal(TaskLocals.$user, to: "bob"))
        XCTAssertEqual(seen.all, ["inner: ada", "outer: bob", "subscriber: nobody"])
    }

    func testAContextBindsSeveralValues() {
        let context = SubscriptionContext.current
            .binding(TaskLocals.$user, to: "ada").binding(TaskLocals.$number, to: 3)
        let inner = context.binding(TaskLocals.$user, to: "bob")
        XCTAssertEqual(inner.run { "\(TaskLocals.user) \(TaskLocals.number)" }, "bob 3")
        XCTAssertEqual(context.run { inner.run { context.run { TaskLocals.user } } }, "ada")
        let none = SubscriptionContext.current
        XCTAssertEqual(context.run { none.run { "\(TaskLocals.user) \(TaskLocals.number)" } }, "nobody 0")
    }

    func testAnEmptyContextReadsTheValueOfTheTask() {
        let none = SubscriptionContext.current
        let user = TaskLocals.$user.withValue("eve") {
            SubscriptionContext.current.binding(TaskLocals.$user, to: "ada").run { none.run { TaskLocals.user } }
        }
        XCTAssertEqual(user, "eve")
    }

    func testAClosureSuppliesTheValueAtEachRun() {
        let user = Locked("ada")
        let context = SubscriptionContext.current.binding(TaskLocals.$user) { user.withLock { $0 } }
        XCTAssertEqual(context.run { TaskLocals.user }, "ada")
        user.withLock { $0 = "bob" }
        XCTAssertEqual(context.run { TaskLocals.user }, "bob")
    }

    func testAStreamKeepsTheValueOfTheSubscribingTask() {
        let subject = PublishSubject<Int>()
        let stream = recordingUser("above", subject).bindingTaskLocal(TaskLocals.$user)
        TaskLocals.$user.withValue("ada") { subscribe(stream) }
        TaskLocals.$user.withValue("bob") { subscribe(stream) }
        subject.onNext(1)
        XCTAssertEqual(
            seen.all, ["above: ada", "subscriber: nobody", "above: bob", "subscriber: nobody"])
    }

    func testATaskOfAClosureRunsInTheContextOfTheStream() async throws {
        let stream = Observable.just(1).flatMap { _ in
            Single.create {
                await Task.yield()
                // A stream to which the task subscribes is in the context, too.
                return try await Single.just(TaskLocals.user).map { "\($0) \(TaskLocals.user)" }.value
            }
        }
        let users = try await stream.bindingTaskLocal(TaskLocals.$user, to: "ada").asSingle().value
        XCTAssertEqual(users, "ada ada")
    }

    func testAnAsyncSequenceIsReadInTheContext() async throws {
        let sequence = AsyncStream<String> { continuation in
            continuation.yield("a")
            continuation.finish()
        }
        let stream = sequence.asObservable().map { "\($0) \(TaskLocals.user)" }
            .bindingTaskLocal(TaskLocals.$user, to: "ada")
        let value = try await stream.asSingle().value
        XCTAssertEqual(value, "a ada")
    }

    func testTraitsBindTaskLocals() {
        let single = Single.deferred { .just(TaskLocals.user) }.bindingTaskLocal(TaskLocals.$user, to: "ada")
        XCTAssertEqual(single.asObservable().record().elements, ["ada"])
        let infallible = Infallible.deferred { .just(TaskLocals.user) }.bindingTaskLocal(TaskLocals.$user, to: "bob")
        XCTAssertEqual(infallible.asObservable().record().elements, ["bob"])
    }

    func testALongChainRunsInOneContext() {
        var stream = Observable.just(0)
        for _ in 0..<300 { stream = stream.map { TaskLocals.user == "ada" ? $0 + 1 : $0 } }
        XCTAssertEqual(stream.bindingTaskLocal(TaskLocals.$user, to: "ada").record().elements, [300])
    }
}
