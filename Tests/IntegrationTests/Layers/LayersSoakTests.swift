import Foundation
import FreshetAuth
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLayers
import FreshetLoop
import HTTPTypes
import XCTest

/// Sends many requests of three accounts through all layers, to a server that fails a tenth of them. `FRESHET_LAYERED` sets the
/// number of requests.
final class LayersSoakTests: ScenarioTestCase {
    private static let accounts = ["ada", "bob", "eve"]

    fileprivate struct Ledger: Sendable {
        var responses = 0
        var failures: [HTTPClientError.Code: Int] = [:]
        var wrong: [String] = []
    }

    func testEachRequestEndsOnceAndNoAccountReceivesTheResponseOfAnother() async throws {
        let count = ProcessInfo.processInfo.environment["FRESHET_LAYERED"].flatMap { Int($0) } ?? 3000
        let server = try ScriptedServer(on: loop, script: ResponseScript(keepsRequests: false))
        defer { server.close() }
        let requestCount = Locked(0)
        server.route { request in
            let number = requestCount.withLock { requestCount in
                requestCount += 1
                return requestCount
            }
            let text = "\(request.headers[HTTPField.Name("X-Key")!] ?? "nobody") \(request.path)"
            switch number % 20 {
            case 3: return ScriptedResponse(status: .serviceUnavailable, body: "down")
            case 13: return .close
            default:
                let age = number.isMultiple(of: 2) ? "max-age=1" : "no-store"
                return ScriptedResponse(headers: [.cacheControl: age, .eTag: "\"\(text)\""], body: text)
            }
        }
        let clients = try Self.accounts.map { name in
            try FixedCredential.apiKey(name, field: "X-Key", origins: [Origin(server.url)])
        }.map { [layered = client().with(layers: layers())] in layered.with(interceptors: [$0]) }
        let ledger = Locked(Ledger())
        let ended = try await Observable.range(start: 0, count: count).map { number in
            let account = number % Self.accounts.count
            let path = "/\((number &* 7919) % 40)"
            return clients[account].get("\(server.url)\(path)").asObservable().materialize().do(onNext: { event in
                ledger.withLock { $0.receive(event, "\(Self.accounts[account]) \(path)") }
            })
        }
        .merge(maxConcurrent: 64).filter { if case .next = $0 { false } else { true } }
        .reduce(0) { count, _ in count + 1 }.asSingle().value
        let outcome = ledger.withLock { $0 }
        print("layered: \(count) requests, \(requestCount.withLock { $0 }) on the wire, \(outcome.failures)")
        XCTAssertEqual(ended, count)
        XCTAssertEqual(outcome.responses + outcome.failures.values.reduce(0, +), count)
        XCTAssertEqual(Array(outcome.wrong.prefix(10)), [])
        XCTAssertGreaterThan(outcome.responses, count / 2)
        XCTAssertLessThan(requestCount.withLock { $0 }, count, "the cache and the coalescing save some")
        XCTAssertEqual(Set(outcome.failures.keys).subtracting([.connectionLost, .circuitOpen]), [])
    }

    private func layers() -> [any TransportLayer] {
        var breaker = CircuitBreaker.Settings()
        breaker.failureRate = 0.9
        return [
            HTTPCache(store: MemoryCacheStore()), Coalescing(),
            Hedging(budget: RetryBudget(scheduler: scheduler), scheduler: scheduler),
            CircuitBreaking(breaker, scheduler: scheduler), Bulkhead(limit: 48),
            RateLimit(.fixed(perSecond: 100_000, burst: 100), scheduler: scheduler),
        ]
    }
}

extension LayersSoakTests.Ledger {
    fileprivate mutating func receive(_ event: Event<Response>, _ expected: String) {
        switch event {
        case .next(let response):
            responses += 1
            let isRight = response.text == (response.status == .serviceUnavailable ? "down" : expected)
            if !isRight { wrong.append("\(expected): \(response.text)") }
        case .error(let error):
            if let code = (error as? HTTPClientError)?.code {
                failures[code, default: 0] += 1
            } else {
                wrong.append("\(error)")
            }
        case .completed: break
        }
    }
}
