import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// One gate whose refreshes are counted, and an API that a test scripts, on virtual time that begins 1000 s after 1970.
final class StepUpBench {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let api: StubTransport
    let gate: RefreshGate
    let refreshes = Locked(0)
    let demands = Locked<[StepUp]>([])
    private let client: HTTPClient
    private let bag = DisposeBag()

    var now: Double { 1000 + scheduler.now.sinceStart / .seconds(1) }

    init(settings: RefreshGate.Settings, life: Double? = nil) throws {
        api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse() }
        let clock: @Sendable () -> Double = { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) }
        let authenticator = ClosureAuthenticator { [refreshes] _ in
            let number = refreshes.withLock { count -> Int in
                count += 1
                return count
            }
            return .just(Credential(accessToken: "a\(number)", refreshToken: "r", expiresAt: life.map { clock() + $0 }))
        }
        let first = Credential(accessToken: "a", refreshToken: "r", expiresAt: life.map { 1000 + $0 })
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, store: MemoryStore(first), origins: [try Origin("https://api.example")],
            scheduler: scheduler, secondsSince1970: clock, settings: settings)
        gate = interceptor.gate
        client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])
        gate.stepUpRequired.subscribe(onNext: { [demands] demand in demands.withLock { $0.append(demand) } })
            .disposed(by: bag)
    }

    func get() -> Result<Response, any Error>? {
        let ending = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.get("https://api.example/").subscribe { event in ending.withLock { $0 = event } }
        scheduler.advanceBy(1000)
        subscription.dispose()
        return ending.withLock { $0 }
    }
}
