import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a long-lived response reports the expiry of its credential.
final class StreamExpiryTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The second wait was cancelled by the first one, whose call returned later.
    func testTheExpiryIsReportedIfTheFirstWaitEndsBeforeTheCallThatBeganIt() throws {
        let base = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scheduler = AheadScheduler(base: base)
        let clock: @Sendable () -> Double = { 1000 + base.now.sinceStart / .seconds(1) }
        let gate = RefreshGate(
            store: MemoryStore(Credential(accessToken: "a", expiresAt: 1100)), scheduler: scheduler,
            secondsSince1970: clock
        ) { _ in .never() }
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: ClosureAuthenticator { _ in .never() },
            origins: [try Origin("https://api.example")])
        let api = StubTransport(scheduler: base)
        api.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(600)))
        let client = HTTPClient(transport: api, scheduler: base, interceptors: [interceptor])
        var request = try Request(.get, "https://api.example/x")
        request.transfer = TransferOptions()
        request.transfer?.isLongLived = true
        request.timeout = .never
        let changes = Locked<[CredentialChange]>([])
        let subscription = client.events(request).subscribe(onNext: { event in
            if case .credentialChanged(let change) = event { changes.withLock { $0.append(change) } }
        })
        XCTAssertEqual(changes.withLock { $0 }, [])
        base.advanceTo(130_000)
        XCTAssertEqual(changes.withLock { $0 }, [.expired])
        XCTAssertEqual(scheduler.count.withLock { $0 }, 1)
        subscription.dispose()
    }
}

/// A scheduler on which the work of the first wait of a minute runs before the call that schedules it returns.
private struct AheadScheduler: SchedulerType {
    let base: TestScheduler
    let count = Locked(0)

    init(base: TestScheduler) { self.base = base }

    var now: Instant { base.now }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { base.schedule(state, action: action) }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let isFirst =
            dueTime == .seconds(60)
            && count.withLock { count in
                defer { count += 1 }
                return count == 0
            }
        return isFirst ? action(state) : base.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
