import Freshet
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import InMemoryLogging
import Logging
import XCTest

private enum Audit {
    @TaskLocal static var user = "nobody"
}

/// Tests that work for a request reads the task-local values of the code that has subscribed to it.
final class RequestContextTests: MonitoringTestCase {
    private let seen = Locked<[String]>([])

    /// Logs the user in each of its methods.
    private struct Noting: RequestInterceptor {
        let note: @Sendable (String) -> Void

        func adapt(_ request: inout Request) -> Adaptation {
            note("adapt")
            return .ready
        }

        func retry(_ attempt: Attempt) -> Single<RetryResult> {
            note("retry")
            return .just(attempt.number < 2 ? .retryWithDelay(.seconds(1)) : .doNotRetry)
        }
    }

    private var noting: Noting {
        let seen = seen
        return Noting { place in seen.withLock { $0.append("\(place): \(Audit.user)") } }
    }

    func testRequestsBelowAFlatMapAreSentInTheContextOfTheChain() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable).after(.seconds(1)))
        transport.enqueue(ScriptedResponse().after(.seconds(1)))
        let client = client(interceptors: [noting])
        let request = try Request(.get, "http://a/")
        let note = noting.note
        let subscription = Observable.just(1)
            .flatMap { _ in client.send(request) }
            .do(onNext: { _ in note("map") })
            .bindingTaskLocal(Audit.$user, to: "ada")
            .subscribe(onNext: { _ in note("subscriber") })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(
            seen.withLock { $0 },
            ["adapt: ada", "retry: ada", "adapt: ada", "map: ada", "subscriber: nobody"])
    }

    func testTheContextOfARequestDoesNotAffectItsSubscriber() throws {
        transport.enqueue(ScriptedResponse().after(.seconds(1)))
        var request = try Request(.get, "http://a/")
        request.context = SubscriptionContext.current.binding(Audit.$user, to: "bob")
        let note = noting.note
        let subscription = client(interceptors: [noting]).send(request).asObservable()
            .bindingTaskLocal(Audit.$user, to: "ada")
            .subscribe(onNext: { _ in note("subscriber") })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(seen.withLock { $0 }, ["adapt: bob", "subscriber: nobody"])
    }

    func testALogLineReadsTheContextOfTheChain() throws {
        transport.enqueue(ScriptedResponse().after(.seconds(1)))
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in
            var handler = handler
            handler.metadataProvider = Logger.MetadataProvider { ["user": "\(Audit.user)"] }
            return handler
        }
        let request = try Request(.get, "http://a/")
        let subscription = client(RequestLog(logger)).send(request)
            .bindingTaskLocal(Audit.$user, to: "ada").subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(handler.entries.map { $0.metadata["user"] }, ["ada"])
    }

    func testARefreshRunsInTheContextOfTheRequestThatCausedIt() throws {
        let note = noting.note
        let authenticator = ClosureAuthenticator { _ in
            note("refresh")
            return .just(Credential(accessToken: "new"))
        }
        let authentication = AuthenticationInterceptor(
            authenticator: authenticator, store: MemoryStore(Credential(accessToken: "old")),
            origins: [try Origin("https://a")], scheduler: scheduler, secondsSince1970: { 0 })
        transport.route { request in
            ScriptedResponse(status: request.headers[.authorization] == "Bearer new" ? .ok : .unauthorized)
                .after(.seconds(1))
        }
        let client = client(interceptors: [authentication])
        let request = try Request(.get, "https://a/")
        let users = ["ada", "bob"].map { user in
            client.send(request).asObservable().do(onNext: { _ in note("answer") })
                .bindingTaskLocal(Audit.$user, to: user).subscribe()
        }
        scheduler.start()
        users.forEach { $0.dispose() }
        XCTAssertEqual(seen.withLock { $0 }, ["refresh: ada", "answer: ada", "answer: bob"])
    }
}
