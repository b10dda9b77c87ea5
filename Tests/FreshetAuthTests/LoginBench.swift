import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// One gate whose refreshes are counted, and an API that a test scripts. Both run on virtual time that begins 1000 s after
/// 1970.
final class LoginBench {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let api: StubTransport
    let gate: RefreshGate
    /// A gate over the same store, as another process has one.
    private let other: RefreshGate
    let store: MemoryStore
    let refreshes = Locked(0)
    let demands = Locked<[StepUp]>([])
    let announcements = Locked<[LoginRequired]>([])
    /// The outcomes of ``begin(_:)`` with their paths, in order.
    let outcomes = Locked<[(path: String, outcome: Result<Response, any Error>)]>([])
    private let client: HTTPClient
    private let bag = DisposeBag()

    var now: Double { 1000 + scheduler.now.sinceStart / .seconds(1) }

    /// - Parameters:
    ///   - life: the life of each access token, in seconds.
    ///   - first: the stored credential. By default it is one with that life.
    ///   - refuses: whether the server refuses refreshes.
    init(
        settings: RefreshGate.Settings = .init(), life: Double? = nil, first: Credential?? = nil, refuses: Bool = false,
        retries: RetryPolicy? = nil
    ) throws {
        api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse() }
        let clock: @Sendable () -> Double = { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) }
        let authenticator = ClosureAuthenticator { [refreshes] old in
            if refuses || old?.refreshToken == nil { return .error(RefreshRefusal("no")) }
            let number = refreshes.withLock { count -> Int in
                count += 1
                return count
            }
            return .just(Credential(accessToken: "a\(number)", refreshToken: "r", expiresAt: life.map { clock() + $0 }))
        }
        store = MemoryStore(
            first ?? Credential(accessToken: "a", refreshToken: "r", expiresAt: life.map { 1000 + $0 }))
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, store: store, origins: [try Origin("https://api.example")],
            scheduler: scheduler, secondsSince1970: clock, settings: settings)
        gate = interceptor.gate
        other = RefreshGate(store: store, authenticator: authenticator, scheduler: scheduler, secondsSince1970: clock)
        var configuration = HTTPClient.Configuration()
        configuration.timeout = nil
        let interceptors: [any RequestInterceptor] = [interceptor] + (retries.map { [$0] } ?? [])
        client = HTTPClient(
            transport: api, scheduler: scheduler, interceptors: interceptors, configuration: configuration)
        gate.stepUpRequired.subscribe(onNext: { [demands] demand in demands.withLock { $0.append(demand) } })
            .disposed(by: bag)
        gate.loginRequired.subscribe(onNext: { [announcements] reason in announcements.withLock { $0.append(reason) } })
            .disposed(by: bag)
    }

    /// Sends one request, and cancels it after a second.
    func get() -> Result<Response, any Error>? {
        let ending = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.get("https://api.example/").subscribe { event in ending.withLock { $0 = event } }
        scheduler.advanceBy(1000)
        subscription.dispose()
        return ending.withLock { $0 }
    }

    /// Begins a request that runs until its end.
    @discardableResult
    func begin(_ path: String) -> any Disposable {
        let subscription = client.get("https://api.example\(path)").subscribe { [outcomes] outcome in
            outcomes.withLock { $0.append((path, outcome)) }
        }
        subscription.disposed(by: bag)
        return subscription
    }

    func pass(_ seconds: Int) { scheduler.advanceBy(seconds * 1000) }

    func logIn(_ token: String = "n", idToken: String? = nil, until end: Double? = nil) {
        var credential = Credential(accessToken: token, refreshToken: "r", expiresAt: end)
        credential.details.idToken = idToken
        gate.login(credential).subscribe().disposed(by: bag)
        scheduler.advanceBy(1)
    }

    static func idToken(_ subject: String) -> String {
        "e30.\(Base64URL.encoded(#"{"iss":"i","sub":"\#(subject)"}"#.utf8)).x"
    }

    func logOut() {
        gate.logout().subscribe().disposed(by: bag)
        scheduler.advanceBy(1)
    }

    func logInElsewhere(_ token: String, until end: Double? = nil) {
        other.login(Credential(accessToken: token, refreshToken: "r", expiresAt: end)).subscribe().disposed(by: bag)
        scheduler.advanceBy(1)
    }

    /// Replaces the record as a program does that has no gate.
    func write(_ record: StoredCredential) {
        let lock = Locked<(any CredentialLease)?>(nil)
        store.lock().subscribe { result in lock.withLock { $0 = try? result.get() } }.disposed(by: bag)
        let lease = lock.withLock { $0.take() }
        lease?.save(record).subscribe().disposed(by: bag)
        lease?.unlock()
    }

    func logOutElsewhere() {
        other.logout().subscribe().disposed(by: bag)
        scheduler.advanceBy(1)
    }

    /// The paths of the requests that have ended, in order. A failed request has its error code after the path.
    var endings: [String] {
        outcomes.withLock { outcomes in
            outcomes.map { path, outcome in
                switch outcome {
                case .success: path
                case .failure(let error): "\(path) \((error as? HTTPClientError)?.code.rawValue ?? "\(error)")"
                }
            }
        }
    }
}
