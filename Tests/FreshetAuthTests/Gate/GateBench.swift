import FreshetCore
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// A gate on virtual time, with refreshes that a test scripts.
final class GateBench: @unchecked Sendable {
    let scheduler: TestScheduler
    /// The credentials that the refreshes sent, and the results of the next ones. By default a refresh returns the pair of the
    /// next generation after 1 s.
    let refreshed = Locked<[Credential?]>([])
    let responses = Locked<[Single<Credential>]>([])
    let store: any CredentialStore
    /// The access tokens that the gate asked the server to revoke, and the server's result: by default a success.
    let forgotten = Locked<[String]>([])
    let revoke = Locked<@Sendable () -> Completable>({ .empty() })
    let events = Locked<[RefreshEvent]>([])
    let revocations = Locked<[RevocationEvent]>([])
    let logins = Locked<[LoginRequired]>([])
    private(set) var gate: RefreshGate!
    private let bag = DisposeBag()

    init(
        on scheduler: TestScheduler = GateBench.clock(), store: any CredentialStore = MemoryStore(pair(1)),
        _ configure: (inout RefreshGate.Settings) -> Void = { _ in }
    ) {
        self.scheduler = scheduler
        self.store = store
        gate = makeGate(configure)
    }

    /// A virtual clock with a resolution of 1 ms.
    static func clock() -> TestScheduler {
        TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    }

    func makeGate(_ configure: (inout RefreshGate.Settings) -> Void = { _ in }) -> RefreshGate {
        var settings = RefreshGate.Settings()
        settings.isExpired = { $0 is Expired }
        configure(&settings)
        let gate = RefreshGate(
            store: store, scheduler: scheduler,
            secondsSince1970: { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) }, settings: settings,
            revoke: { [forgotten, revoke] credential in
                forgotten.withLock { $0.append(credential.accessToken) }
                return revoke.withLock { $0 }()
            }
        ) { [refreshed, responses, scheduler] credential in
            refreshed.withLock { $0.append(credential) }
            if let response = responses.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return response }
            return after(1, on: scheduler, .success(pair((credential?.generation ?? 0) + 1)))
        }
        gate.refreshes.subscribe(onNext: { [events] event in events.withLock { $0.append(event) } }).disposed(by: bag)
        gate.revocations.subscribe(onNext: { [revocations] event in revocations.withLock { $0.append(event) } })
            .disposed(by: bag)
        gate.loginRequired.subscribe(onNext: { [logins] event in logins.withLock { $0.append(event) } })
            .disposed(by: bag)
        return gate
    }

    var sentRefreshTokens: [String] { refreshed.withLock { $0.map { $0?.refreshToken ?? "nothing" } } }
    var outcomes: [RefreshEvent.Outcome] { events.withLock { $0.map(\.outcome) } }
    var announced: [LoginRequired] { logins.withLock { $0 } }

    func respond(with responses: Single<Credential>...) {
        self.responses.withLock { $0 += responses }
    }

    /// Runs the virtual clock until no work is left.
    func run() { scheduler.start() }

    func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        run()
        return ending.value
    }
}

extension RefreshGate {
    /// The number of uses that the end of the session would interrupt.
    var useCount: Int { state.withLock { $0.uses.count } }
}

/// The error of a stream whose credential has ended.
struct Expired: Error {}

/// The result of a single.
final class Ending<Value>: @unchecked Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    var value: Result<Value, any Error>? { result.withLock { $0 } }
    func set(_ value: Result<Value, any Error>) {
        result.withLock {
            XCTAssertNil($0, "notified twice")
            $0 = value
        }
    }
}

func after<Value: Sendable>(
    _ seconds: Double, on scheduler: any SchedulerType, _ result: Result<Value, any Error>
) -> Single<Value> {
    .create { observer in
        scheduler.scheduleRelative((), dueTime: .seconds(seconds)) {
            observer(result)
            return Disposables.create()
        }
    }
}

extension Observable where Element: Sendable {
    /// All elements of the sequence, as one value.
    func all() -> Single<[Element]> {
        let source = self
        return .create { observer in
            let elements = Locked<[Element]>([])
            return source.subscribe { event in
                switch event {
                case .next(let element): elements.withLock { $0.append(element) }
                case .error(let error): observer(.failure(error))
                case .completed: observer(.success(elements.withLock { $0 }))
                }
            }
        }
    }
}
