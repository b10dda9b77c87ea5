import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// An authorization server that a test scripts, on virtual time that begins 1000 s after 1970.
final class LoginBench: Sendable {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let server: StubTransport
    let client: HTTPClient
    let events = Locked<[LoginEvent]>([])
    /// The times of the requests, in seconds.
    let times = Locked<[Double]>([])
    private let responses = Locked<ArraySlice<ScriptedResponse>>([])
    let ending = Locked<Result<Void, any Error>?>(nil)

    init() {
        server = StubTransport(scheduler: scheduler)
        client = HTTPClient(transport: server, scheduler: scheduler)
        server.route { [responses, times, scheduler] _ in
            times.withLock { $0.append(scheduler.now.sinceStart / .seconds(1)) }
            return responses.withLock { $0.isEmpty ? ScriptedResponse(status: .notFound) : $0.removeFirst() }
        }
    }

    func script(_ scripted: ScriptedResponse...) { responses.withLock { $0 += scripted } }

    var now: Double { 1000 + scheduler.now.sinceStart / .seconds(1) }

    func endpoint(secret: String? = nil) throws -> TokenEndpoint {
        try TokenEndpoint(
            url: RequestURL("https://id.example/token"), clientID: "cli", clientSecret: secret, client: client,
            secondsSince1970: { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) })
    }

    func device(
        _ scope: LoginScope = LoginScope(), limit: Duration? = nil, proof: (any ProofOfPossession)? = nil
    ) throws -> DeviceLogin {
        var endpoint = try endpoint()
        endpoint.proofOfPossession = proof
        return DeviceLogin(
            endpoint: endpoint, deviceURL: try RequestURL("https://id.example/device"), scope: scope,
            limit: limit, scheduler: scheduler,
            secondsSince1970: { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) })
    }

    func begin(_ login: Observable<LoginEvent>) -> any Disposable {
        login.subscribe(
            onNext: { [events] event in events.withLock { $0.append(event) } },
            onError: { [ending] error in ending.withLock { $0 = .failure(error) } },
            onCompleted: { [ending] in ending.withLock { $0 = .success(()) } })
    }

    func run(_ login: Observable<LoginEvent>) {
        let subscription = begin(login)
        scheduler.start()
        subscription.dispose()
    }

    var credential: Credential? {
        events.withLock { events in
            events.lazy.compactMap { if case .credential(let credential) = $0 { credential } else { nil } }.first
        }
    }

    var error: HTTPClientError? {
        guard case .failure(let error)? = ending.withLock({ $0 }) else { return nil }
        return error as? HTTPClientError
    }
}
