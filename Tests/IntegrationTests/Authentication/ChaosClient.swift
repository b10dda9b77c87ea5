import Foundation
import Freshet
import FreshetCore
import FreshetTesting

/// A client of the library in this process, whose requests the test cancels at any moment.
final class ChaosClient: Sendable {
    let name: String
    private let url: String
    private let runtime: FreshetRuntime
    private let gate: RefreshGate
    private let client: HTTPClient
    private let output: ChaosOutput
    private let expectedCodes: Set<String>
    private let state = Locked(State())

    private struct State {
        var running: [String: any Disposable] = [:]
        var sent = 0
        var cancelled: Set<String> = []
        var succeeded: [String] = []
        var codes: [String: Int] = [:]
        var ended: Set<String> = []
        var faults: [String] = []
        /// The number of logins and logouts that are running.
        var writes = 0
    }

    init(_ name: String, url: String, store: ChaosStore, output: ChaosOutput) throws {
        self.name = name
        self.url = url
        self.output = output
        expectedCodes = store.expectedCodes
        var configuration = FreshetRuntime.Configuration()
        configuration.client.timeout = .seconds(20)
        runtime = try FreshetRuntime(configuration: configuration)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(url + "/token"), clientID: name, client: runtime.refreshClient)
        var settings = RefreshGate.Settings()
        settings.refreshLimit = .max
        settings.whenStepUpIsRequired = .fail
        gate = runtime.gate(store: try store.open(runtime), authenticator: authenticator, settings: settings)
        client = try runtime.client(authenticatedBy: gate, authenticator, origins: [url])
    }

    func send(_ count: Int) {
        for _ in 0..<count {
            let id = state.withLock { state in
                state.sent += 1
                return "/\(name)/\(state.sent)"
            }
            let subscription = client.get(url + id).subscribe { self.record($0, of: id) }
            state.withLock { state in
                if !state.ended.contains(id) { state.running[id] = subscription }
            }
        }
    }

    private func record(_ result: SingleEvent<Response>, of id: String) {
        state.withLock { state in
            state.running[id] = nil
            guard state.ended.insert(id).inserted else { return state.faults.append("\(id) was answered twice") }
            guard !state.cancelled.contains(id) else { return }
            switch result {
            case .success(let response) where response.status == .ok && response.text == "{\"path\":\"\(id)\"}":
                state.succeeded.append(id)
            case .success(let response):
                state.faults.append("\(id) was given status \(response.status.code), or what is another's")
            case .failure(let error):
                let code = (error as? HTTPClientError)?.code.rawValue ?? ""
                state.codes[code, default: 0] += 1
                if !expectedCodes.contains(code) {
                    state.faults.append(
                        "\(id): \(error), \((error as? HTTPClientError)?.underlying.map { "\($0)" } ?? "")")
                }
            }
        }
        if case .failure(let error) = result { addOutput(of: error) }
    }

    /// Records the error in each form in which a program may show it.
    private func addOutput(of error: any Error) {
        var text = "\(error) \(String(reflecting: error)) "
        dump(error, to: &text)
        output.add(text)
    }

    /// Disposes of about every other request, in the order of their names.
    func cancelSome(_ random: inout SplitMix64) {
        let leaving = state.withLock { state -> [any Disposable] in
            let ids = state.running.keys.sorted().filter { _ in random.once(in: 2) }
            state.cancelled.formUnion(ids)
            return ids.compactMap { state.running.removeValue(forKey: $0) }
        }
        leaving.forEach { $0.dispose() }
    }

    func login(_ tokens: ChaosLedger.Tokens) {
        write(gate.login(Credential(accessToken: tokens.access, refreshToken: tokens.refresh)).map { _ in })
    }

    func logout() {
        write(gate.logout().map { _ in })
    }

    private func write(_ work: Single<Void>) {
        state.withLock { $0.writes += 1 }
        _ = work.subscribe { result in
            self.state.withLock { state in
                state.writes -= 1
                if case .failure(let error) = result, !self.isExpected(error) {
                    state.faults.append("\(self.name) did not write: \(error)")
                }
            }
            if case .failure(let error) = result { self.addOutput(of: error) }
        }
    }

    private func isExpected(_ error: any Error) -> Bool {
        let code = (error as? HTTPClientError)?.code
        return code == .store && expectedCodes.contains("store")
    }

    var running: Int { state.withLock { $0.running.count } }
    var isBusy: Bool { state.withLock { !$0.running.isEmpty || $0.writes > 0 } }
    var sent: Int { state.withLock { $0.sent } }
    var succeeded: [String] { state.withLock { $0.succeeded } }
    var codes: [String: Int] { state.withLock { $0.codes } }
    var cancelled: Int { state.withLock { $0.cancelled.count } }

    /// The faults of the run. It is complete when nothing runs any more.
    var faults: [String] {
        state.withLock { state in
            let unmatched = (1...max(1, state.sent)).map { "/\(name)/\($0)" }
                .filter { state.sent > 0 && !state.ended.contains($0) && !state.cancelled.contains($0) }
            return state.faults + unmatched.map { "\($0) was never answered" }
        }
    }

    func shutdown() {
        runtime.shutdown()
    }
}
