import Freshet
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import InMemoryTracing
import Tracing
import XCTest

/// Tests where the span of a refresh is in the trace of the request that has caused it.
final class RefreshTracingTests: MonitoringTestCase {
    private let tracer = InMemoryTracer()

    /// The names of the spans' requests with their parents' identifiers, in the order in which they ended.
    private func spans(
        expiresAt: Double?, requests: Int = 1, isChild: Bool = true
    ) throws -> (parent: String, spans: [(path: String, id: String, parent: String?)]) {
        let tracing = RequestTracing(tracer: tracer)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://a.example/token"), client: client(tracing), secondsSince1970: { 0 })
        let store = MemoryStore(
            Credential(accessToken: "old", refreshToken: "r", expiresAt: expiresAt))
        let authentication = AuthenticationInterceptor(
            authenticator: authenticator, store: store, origins: [try Origin("https://a.example")],
            scheduler: scheduler, secondsSince1970: { 0 })
        transport.route { request in
            if request.path == "/token" {
                return ScriptedResponse(body: #"{"access_token":"new","token_type":"bearer","expires_in":3600}"#)
            }
            return ScriptedResponse(
                status: request.headers[.authorization] == "Bearer new" ? .ok : .unauthorized, body: "")
        }
        let client = client(tracing, interceptors: [authentication])
        let parent = tracer.startSpan("parent", context: .topLevel)
        let disposables = CompositeDisposable()
        for number in 0..<requests {
            let request = try Request(.get, "https://a.example/\(number)")
            let send = { _ = disposables.insert(client.send(request).subscribe { _ in }) }
            if isChild { ServiceContext.withValue(parent.context, operation: send) } else { send() }
        }
        scheduler.start()
        disposables.dispose()
        parent.end()
        return (
            parent.spanID,
            tracer.finishedSpans.dropLast().map { span in
                let url = span.attributes.get("url.full").map { "\($0)" } ?? ""
                return (
                    String(url.split(separator: "/").last!.prefix { $0 != "\"" && $0 != ")" }), span.spanID,
                    span.parentSpanID
                )
            }
        )
    }

    func testARefreshIsAChildOfTheAttemptThatWasRefused() throws {
        for isChild in [true, false] {
            tracer.clearAll()
            let (parent, spans) = try spans(expiresAt: nil, isChild: isChild)
            // The attempt's span ends when its result is known.
            XCTAssertEqual(spans.map(\.path), ["token", "0", "0"])
            XCTAssertEqual(spans.map(\.parent), [spans[1].id, isChild ? parent : nil, isChild ? parent : nil])
        }
    }

    func testARefreshBeforeAnythingIsSentIsAChildOfTheSubscribersTask() throws {
        let (parent, spans) = try spans(expiresAt: -1)
        XCTAssertEqual(spans.map(\.path), ["token", "0"])
        XCTAssertEqual(spans.map(\.parent), [parent, parent])
    }

    func testARefreshThatManyWaitForIsAChildOfTheFirst() throws {
        let (_, spans) = try spans(expiresAt: nil, requests: 3)
        let refreshes = spans.filter { $0.path == "token" }
        XCTAssertEqual(refreshes.count, 1)
        XCTAssertEqual(refreshes.first?.parent, spans.first { $0.path == "0" }?.id)
    }
}
