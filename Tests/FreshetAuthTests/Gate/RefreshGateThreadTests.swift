import FreshetCore
import Glibc
import XCTest

@testable import FreshetAuth

final class RefreshGateThreadTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Eight threads use one credential, which a server replaces after every 100 uses. Some callers leave before their result.
    func testEightThreadsOnOneGateLoseNoCallerAndUseNoRefreshTokenTwice() {
        let newest = Locked(1)
        let uses = Locked(0)
        let spent = Locked<Set<String>>([])
        let store = MemoryStore(pair(1))
        var settings = RefreshGate.Settings()
        settings.refreshLimit = .max
        settings.maximumReplays = .max
        settings.isExpired = { $0 is Expired }
        let gate = RefreshGate(store: store, scheduler: ThreadScheduler(), settings: settings) { credential in
            .create { observer in
                Threads.start {
                    let token = credential?.refreshToken ?? ""
                    XCTAssertTrue(spent.withLock { $0.insert(token).inserted }, "\(token) spent twice")
                    let next = newest.withLock { newest in
                        newest += 1
                        return newest
                    }
                    observer(.success(pair(next)))
                }
                return Disposables.create()
            }
        }
        let responded = Locked(0)
        let threads = Threads()
        for _ in 0..<8 {
            threads.run {
                for _ in 0..<20 {
                    let notified = Locked(0)
                    for number in 0..<25 {
                        let call = gate.withCredential { credential -> Single<String> in
                            let isGood = newest.withLock { credential.accessToken == "a\($0)" }
                            let count = uses.withLock { uses in
                                uses += 1
                                return uses
                            }
                            if isGood, count % 100 != 0 { return .just(credential.accessToken) }
                            return .error(Expired())
                        }
                        let subscription = call.subscribe { event in
                            if case .error(let error) = event { XCTFail("\(error)") }
                            if event.isStopEvent, number % 5 != 4 { notified.withLock { $0 += 1 } }
                        }
                        if number % 5 == 4 { subscription.dispose() }
                    }
                    let end = time(nil) + 20
                    while notified.withLock({ $0 }) < 20, time(nil) < end { sched_yield() }
                    responded.withLock { $0 += notified.withLock { $0 } }
                }
            }
        }
        threads.join()
        XCTAssertEqual(responded.withLock { $0 }, 8 * 20 * 20, "somebody was never notified, or notified twice")
        XCTAssertGreaterThan(newest.withLock { $0 }, 10)
        Threads.joinAll()
    }
}
