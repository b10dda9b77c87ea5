import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// A client with a cache, and a server that a test scripts, on virtual time that begins at `Sun, 06 Nov 1994 08:49:37 GMT`.
final class CacheBench {
    static let start = 784_111_777.0

    let scheduler: TestScheduler
    let server: StubTransport
    let client: HTTPClient
    let cache: HTTPCache
    /// How far the wall clock was moved, in seconds.
    let clockChange = Locked(0.0)
    private let account: Account

    /// Puts a login's token on each request.
    private final class Account: RequestInterceptor {
        let login = Locked<(token: String, id: String?)?>(nil)

        func account(of request: Request) -> AccountResolution {
            .ready(login.withLock { $0 }.map { RequestAccount(loginID: $0.id) })
        }

        func adapt(_ request: inout Request) -> Adaptation {
            if let token = login.withLock({ $0?.token }) { request.headers[.authorization] = "Bearer \(token)" }
            return .ready
        }
    }

    init(
        store: any CacheStore = MemoryCacheStore(), interceptors: [any RequestInterceptor] = [],
        scheduler: TestScheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    ) {
        self.scheduler = scheduler
        server = StubTransport(scheduler: scheduler)
        account = Account()
        cache = HTTPCache(
            store: store,
            secondsSince1970: { [scheduler, clockChange] in
                Self.start + scheduler.now.sinceStart / .seconds(1) + clockChange.withLock { $0 }
            })
        client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache], interceptors: [account] + interceptors)
    }

    func logIn(_ token: String, id: String?) { account.login.withLock { $0 = (token, id) } }
    func logOut() { account.login.withLock { $0 = nil } }

    func pass(_ seconds: Int) { scheduler.advanceBy(seconds * 1000) }

    /// The date of `seconds` after the start.
    static func date(_ seconds: Int) -> String {
        let time = 8 * 3600 + 49 * 60 + 37 + seconds
        let (hour, minute, second) = (time / 3600 % 24, time / 60 % 60, time % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "Sun, \(two(6 + time / 86_400)) Nov 1994 \(two(hour)):\(two(minute)):\(two(second)) GMT"
    }

    /// Scripts the next response: header lines, and a body.
    func script(_ status: HTTPResponse.Status = .ok, _ lines: String..., body: String = "1") {
        var fields: HTTPFields = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            fields.append(HTTPField(name: HTTPField.Name(parts[0])!, value: parts.count > 1 ? parts[1] : ""))
        }
        server.enqueue(ScriptedResponse(status: status, headers: fields, body: body))
    }

    struct Outcome {
        var status = 0
        var body = ""
        var headers: HTTPFields = [:]
        var from: String?
        var attempts = 0
        var error: HTTPClientError?
    }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "/a", _ headers: HTTPFields = [:]
    ) throws -> Outcome {
        let outcome = Locked(Outcome())
        let request = try Request(method, "http://a.example\(path)", headers: headers)
        let subscription = client.events(request).subscribe(
            onNext: { event in
                outcome.withLock { outcome in
                    switch event {
                    case .attempt(let number, _): outcome.attempts = number
                    case .phase(.cache(let status)):
                        switch status {
                        case .hit(let age): outcome.from = "hit \(age)"
                        case .stale(let age): outcome.from = "stale \(age)"
                        case .revalidated: outcome.from = "revalidated"
                        case .miss: outcome.from = "miss"
                        case .unsatisfiable: outcome.from = "unsatisfiable"
                        }
                    case .head(let head, _): (outcome.status, outcome.headers) = (head.status.code, head.headerFields)
                    case .body(let bytes): outcome.body += String(decoding: bytes, as: UTF8.self)
                    default: break
                    }
                }
            }, onError: { error in outcome.withLock { $0.error = error as? HTTPClientError } })
        scheduler.advanceBy(10)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    var requestCount: Int { server.requestCount }
}
