import FreshetCore
import FreshetHTTP
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class RefreshGateTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A server that accepts the credentials from `generation` on.
    private func server(from generation: Int) -> @Sendable (Credential) -> Single<String> {
        { $0.generation >= generation ? .just($0.accessToken) : .error(Expired()) }
    }

    func testAValidCredentialIsUsedWithoutARefresh() throws {
        let bench = GateBench()
        let responses = try bench.result(bench.gate.withCredential(server(from: 1)).all())?.get()
        XCTAssertEqual(responses, ["a1"])
        XCTAssertEqual(bench.sentRefreshTokens, [])
        XCTAssertEqual(bench.gate.current?.generation, 1)
    }

    // Failures 1, 2 and 17: several refreshes ran, or only the first of many requests was replayed.
    func testAThousandFailuresAtOnceCauseOneRefreshAndAreAllReplayed() throws {
        let bench = GateBench()
        let server = server(from: 2)
        let calls = Observable.from(0..<1000).flatMapRefreshing(with: bench.gate) { number, credential in
            server(credential).map { "\(number) \($0)" }
        }
        let responses = try bench.result(calls.all())?.get()
        XCTAssertEqual(responses?.sorted(), (0..<1000).map { "\($0) a2" }.sorted())
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.outcomes, [.refreshed])
        XCTAssertEqual(bench.events.withLock { $0.first?.waiters }, 1000)
        XCTAssertEqual(bench.events.withLock { $0.first?.duration }, .seconds(1))
    }

    func testATokenThatCannotBeSentInAHeaderIsNotStored() throws {
        for token in ["", "a\r\nX: y", "\u{FC}"] {
            let bench = GateBench()
            let result = bench.result(bench.gate.login(Credential(accessToken: token)))
            XCTAssertThrowsError(try result?.get()) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
            }
            XCTAssertEqual(try bench.result(bench.store.load())?.get().credential, pair(1))
        }
    }

    func testSettledEmitsWhenTheResponseToARefreshIsStored() throws {
        let bench = GateBench()
        XCTAssertNotNil(bench.result(bench.gate.settled()), "at once, if nothing is under way")
        let use = bench.gate.credential(replacing: 1).subscribe { _ in XCTFail("it had left") }
        let settled = Ending<Int?>()
        bench.scheduler.scheduleAt(500) {
            use.dispose()
            _ = bench.gate.settled().subscribe { _ in settled.set(.success(bench.gate.current?.generation)) }
            XCTAssertNil(settled.value, "the refresh is asked for")
        }
        bench.run()
        XCTAssertEqual(try settled.value?.get(), 2)
    }

    // Failure 3.
    func testALateFailureOfAReplacedCredentialIsReplayedAndNotRefreshed() throws {
        let bench = GateBench()
        let late = bench.gate.withCredential { [scheduler = bench.scheduler] credential in
            after(
                credential.generation == 1 ? 60 : 0, on: scheduler,
                credential.generation == 1 ? .failure(Expired()) : .success(credential.accessToken))
        }
        let first = Ending<[String]>()
        _ = bench.gate.withCredential(server(from: 2)).all().subscribe { first.set($0) }
        XCTAssertEqual(try bench.result(late.all())?.get(), ["a2"])
        XCTAssertEqual(try first.value?.get(), ["a2"])
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    // Failures 4 and 6: a failed refresh left its waiters in the queue, or its slot taken.
    func testAFailedRefreshFailsAllWaitersWithItsErrorAndTheNextRequestTriesAgain() throws {
        let bench = GateBench()
        bench.respond(with: after(1, on: bench.scheduler, .failure(Trouble())))
        let server = server(from: 2)
        let endings = (0..<10).map { _ in Ending<[String]>() }
        for ending in endings { _ = bench.gate.withCredential(server).all().subscribe { ending.set($0) } }
        bench.run()
        for ending in endings {
            let error = ending.error
            XCTAssertEqual(error?.code, .refreshFailed)
            XCTAssertEqual(error?.underlying as? Trouble, Trouble())
        }
        XCTAssertEqual(bench.announced, [], "a transient failure keeps the tokens")
        XCTAssertEqual(try bench.result(bench.gate.withCredential(server).all())?.get(), ["a2"])
        XCTAssertEqual(bench.sentRefreshTokens, ["r1", "r1"])
    }

    func testARefusedRefreshFailsAllAndIsAnnouncedOnce() throws {
        let bench = GateBench()
        bench.respond(with: after(1, on: bench.scheduler, .failure(RefreshRefusal("spent"))))
        let server = server(from: 2)
        let endings = (0..<10).map { _ in Ending<[String]>() }
        for ending in endings { _ = bench.gate.withCredential(server).all().subscribe { ending.set($0) } }
        bench.run()
        for ending in endings {
            XCTAssertEqual(ending.error?.code, .loginRequired)
            XCTAssertTrue(ending.error?.underlying is RefreshRefusal)
        }
        XCTAssertEqual(bench.announced, [.refused])
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(bench.announced, [.refused])
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"], "not asked again")

        XCTAssertEqual(try bench.result(bench.gate.login(pair(7)))?.get().generation, 2)
        XCTAssertEqual(try bench.result(bench.gate.withCredential(server).all())?.get(), ["a7"])
    }

    // Failures 7 and 8.
    func testTheRefreshContinuesAfterTheLastWaiterHasCancelled() throws {
        let bench = GateBench()
        let waiting = bench.gate.withCredential(server(from: 2)).subscribe { _ in XCTFail("it had left") }
        bench.scheduler.advanceTo(500)
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        waiting.dispose()
        bench.run()
        XCTAssertEqual(bench.outcomes, [.refreshed])
        XCTAssertEqual(bench.gate.current?.accessToken, "a2")
    }

    // Failure 9.
    func testALogoutDuringARefreshDropsTheLateResponse() throws {
        let bench = GateBench()
        let waiting = Ending<[String]>()
        _ = bench.gate.withCredential(server(from: 2)).all().subscribe { waiting.set($0) }
        bench.scheduler.advanceTo(500)
        _ = bench.gate.logout().subscribe { _ in }
        bench.run()
        XCTAssertEqual(waiting.error?.code, .loginRequired)
        XCTAssertEqual(bench.outcomes, [.discarded])
        XCTAssertEqual(bench.announced, [.loggedOut])
        XCTAssertNil(try XCTUnwrap(bench.result(bench.store.load())).get().credential)
        XCTAssertNil(bench.gate.current)
    }

    // Failure 16.
    func testAStreamThatIsAlwaysRefusedEndsAfterTwoReplays() {
        let bench = GateBench()
        let error = bench.failure(bench.gate.withCredential { _ in Single<Int>.error(Expired()) }.all())
        XCTAssertEqual(error?.code, .refreshStorm)
        XCTAssertTrue(error?.underlying is Expired)
        XCTAssertEqual(bench.sentRefreshTokens, ["r1", "r2"])
    }

    func testTheSixthRefreshInThirtySecondsIsARefreshStorm() {
        let bench = GateBench { $0.maximumReplays = 100 }
        let error = bench.failure(bench.gate.withCredential { _ in Single<Int>.error(Expired()) }.all())
        XCTAssertEqual(error?.code, .refreshStorm)
        XCTAssertEqual(bench.sentRefreshTokens.count, 5)
    }

    // Failure 18: each instance refreshed the same credential.
    func testTwoGatesOverOneStoreRefreshOnce() throws {
        let bench = GateBench()
        let other = bench.makeGate()
        let first = Ending<[String]>()
        _ = bench.gate.withCredential(server(from: 2)).all().subscribe { first.set($0) }
        XCTAssertEqual(try bench.result(other.withCredential(server(from: 2)).all())?.get(), ["a2"])
        XCTAssertEqual(try first.value?.get(), ["a2"])
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.outcomes, [.refreshed, .adopted])
    }

    func testACredentialThatAnotherProcessWritesIsAdoptedBeforeItReleasesTheLock() throws {
        let bench = GateBench()
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        let lease = try XCTUnwrap(try bench.result(bench.store.lock())?.get())
        let ending = Ending<[String]>()
        _ = bench.gate.withCredential(server(from: 2)).all().subscribe { ending.set($0) }
        bench.scheduler.advanceTo(500)
        XCTAssertNil(ending.value)
        _ = lease.save(stored(2)).subscribe { _ in }
        bench.scheduler.advanceTo(600)
        XCTAssertEqual(try ending.value?.get(), ["a2"])
        lease.unlock()
        XCTAssertEqual(bench.sentRefreshTokens, [])
        XCTAssertEqual(bench.outcomes, [.adopted])
    }

    func testAHungRefreshEndsAtTheDeadlineAndTheNextOneWorks() throws {
        let bench = GateBench()
        bench.respond(with: .never())
        let ending = Ending<[String]>()
        _ = bench.gate.withCredential(server(from: 2)).all().subscribe { ending.set($0) }
        bench.scheduler.advanceTo(29_999)
        XCTAssertNil(ending.value)
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(ending.error?.code, .refreshFailed)
        let settled = Ending<Void>()
        _ = bench.gate.settled().subscribe { settled.set($0) }
        bench.scheduler.start()
        XCTAssertNotNil(settled.value)
        XCTAssertEqual(bench.scheduler.clock, 60_000, "so long its answer is waited for")
        XCTAssertEqual(try bench.result(bench.gate.withCredential(server(from: 2)).all())?.get(), ["a2"])
    }

    func testACredentialAboutToExpireIsRefreshedBeforeItIsUsed() throws {
        let bench = GateBench(store: MemoryStore(pair(1, expiresAt: 1000)))
        XCTAssertEqual(try bench.result(bench.gate.withCredential(server(from: 1)).all())?.get(), ["a2"])
        XCTAssertEqual(bench.events.withLock { $0.map(\.cause) }, [.expiring])
    }

    func testAnotherGateSeesALoginAtItsNextRequest() throws {
        let bench = GateBench()
        let other = bench.makeGate()
        bench.respond(with: .error(RefreshRefusal("spent")))
        XCTAssertEqual(bench.failure(bench.gate.withCredential(server(from: 2)).all())?.code, .loginRequired)
        XCTAssertEqual(bench.failure(other.credential())?.code, .loginRequired, "it is marked in the store")
        _ = try bench.result(other.login(pair(5)))?.get()
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a5")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testASourceThatReadsTheCurrentCredentialIsSubscribedToAgain() throws {
        let bench = GateBench()
        let gate = bench.gate!
        let source = Observable<String>.create { observer in
            if let credential = gate.current, credential.generation == 2 {
                observer.onNext(credential.accessToken)
                observer.onCompleted()
            } else {
                observer.onError(Expired())
            }
            return Disposables.create()
        }
        XCTAssertEqual(try bench.result(source.refreshing(with: gate).all())?.get(), ["a2"])
    }

    func testAnErrorThatIndicatesNoExpiryIsDeliveredAlsoIfItIsThrown() {
        let bench = GateBench()
        let failing = bench.gate.withCredential { _ in Single<Int>.error(Trouble()) }
        let throwing = bench.gate.withCredential { _ -> Single<Int> in throw Trouble() }
        for source in [failing, throwing] {
            guard case .failure(let error)? = bench.result(source.all()) else { return XCTFail("no failure") }
            XCTAssertTrue(error is Trouble)
        }
        XCTAssertEqual(bench.sentRefreshTokens, [])
    }
}

extension Ending {
    var error: HTTPClientError? {
        guard case .failure(let error)? = value else { return nil }
        return error as? HTTPClientError
    }
}

extension GateBench {
    func failure<Value>(_ single: Single<Value>) -> HTTPClientError? {
        guard case .failure(let error)? = result(single) else { return nil }
        return error as? HTTPClientError
    }
}
