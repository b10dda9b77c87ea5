import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class RequestStateMachineTests: XCTestCase {
    private var machine: RequestStateMachine!
    private var peek = 0
    private let request = try! Request(.get, "http://a/x")

    private func start(peek: Int = 0, redirectLimit: Int = 10) {
        self.peek = peek
        machine = RequestStateMachine(
            request, redirects: RedirectPolicy(limit: redirectLimit, allowsDowngrade: false))
        XCTAssertEqual(take(.start), ["send"])
        XCTAssertEqual(take(.sending(request)), ["watch", "attempt 1"])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["phase"])
    }

    private func take(_ input: RequestStateMachine.Input) -> [String] {
        machine.apply(input).map(\.name)
    }

    private func head(_ status: Int, _ fields: HTTPFields = [:]) -> RequestStateMachine.Input {
        .head(HTTPResponse(status: .init(code: status), headerFields: fields), peek: status >= 400 ? peek : 0)
    }

    private func body(_ count: Int) -> RequestStateMachine.Input {
        .part(.body(Array(repeating: 0, count: count)))
    }

    func testAShortBodyCountsAsSentAtOnceUnlessTheServerIsAskedFirst() throws {
        for (header, expected) in [(HTTPField.Name.accept, HTTPClientError.Phase.waiting), (.expect, .sending)] {
            let request = try Request(.put, "https://h/", headers: [header: "x"], body: .text("123"))
            var machine = RequestStateMachine(request, redirects: RedirectPolicy(limit: 0, allowsDowngrade: false))
            _ = machine.apply(.start)
            _ = machine.apply(.sending(request))
            _ = machine.apply(.part(.phase(.connected(address: "192.0.2.1:443", reused: true))))
            XCTAssertEqual(machine.phase, expected)
        }
    }

    func testAnUnpeekedResponseIsStreamed() {
        start()
        XCTAssertEqual(take(head(200)), ["head 200"])
        XCTAssertEqual(take(body(3)), ["body 3"])
        XCTAssertEqual(take(.ended(nil)), ["finish"])
        XCTAssertEqual(take(body(3)), [])
    }

    /// A retry would deliver the body twice.
    func testABodyBeforeTheHeadEndsTheRequestWithoutARetry() {
        for part in [ResponsePart.body([1]), .trailers([:])] {
            start()
            let actions = Array(machine.apply(.part(part)))
            XCTAssertEqual(actions.map(\.name), ["cancel", "fail"])
            guard case .fail(let error as HTTPClientError)? = actions.last else { return XCTFail("\(actions)") }
            XCTAssertEqual(error.code, .protocol)
            XCTAssertEqual(take(.ended(nil)), [])
        }
    }

    func testACollectorReportsABodyWithoutAHead() throws {
        var collector = ResponseCollector(limit: 10, origin: request.url.origin)
        XCTAssertThrowsError(try collector.receive(.body([1]))) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .protocol)
        }
    }

    func testAPeekedResponseIsHeldUntilTheDecisionAndThenDelivered() {
        start(peek: 100)
        XCTAssertEqual(take(head(401)), [])
        XCTAssertEqual(take(body(3)), [])
        XCTAssertEqual(take(.ended(nil)), ["ask about 401 with 3"])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["head 401", "body 3", "finish"])
    }

    func testAResponseLongerThanThePeekPausesTheTransportUntilTheDecision() {
        start(peek: 4)
        XCTAssertEqual(take(head(500)), [])
        XCTAssertEqual(take(body(6)), ["hold true", "ask about 500 with 4"])
        XCTAssertEqual(take(body(2)), [])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["head 500", "body 6", "body 2", "hold false"])
        XCTAssertEqual(take(body(1)), ["body 1"])
        XCTAssertEqual(take(.ended(nil)), ["finish"])
    }

    func testARetryAdaptsTheOriginalRequestAgain() {
        start(peek: 100)
        _ = take(head(401))
        _ = take(.ended(nil))
        XCTAssertEqual(take(.decided(.retry)), ["cancel", "retry", "send"])
        XCTAssertEqual(take(.sending(request)), ["watch", "attempt 2"])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["phase"])
    }

    func testARequestThatIsQueuedAgainBeforeItIsSentIsOneAttempt() {
        start(peek: 100)
        _ = take(.ended(CancellationError()))
        _ = take(.decided(.retry))
        XCTAssertEqual(take(.sending(request)), ["watch", "attempt 2"])
        XCTAssertEqual(take(.sending(request)), ["watch"])
        XCTAssertEqual(take(head(200)), ["head 200"])
    }

    func testADelayedRetryWaitsBeforeItIsSent() {
        start(peek: 100)
        _ = take(.ended(CancellationError()))
        XCTAssertEqual(take(.decided(.retryWithDelay(.seconds(1)))), ["cancel", "retry", "wait"])
        XCTAssertEqual(take(.waited), ["send"])
    }

    func testAFailureThatIsNotRetriedEndsTheRequest() {
        start()
        XCTAssertEqual(take(.ended(CancellationError())), ["ask about failure"])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["fail"])
    }

    func testAFailureAfterTheFirstDeliveryIsNotRetried() {
        start()
        _ = take(head(200))
        XCTAssertEqual(take(.ended(CancellationError())), ["fail"])
    }

    func testAFailureOfTheTransferDoesNotChangeAPendingDecision() {
        for (decision, actions) in [
            (.retry, ["cancel", "retry", "send"]), (.doNotRetry, ["head 401", "body 6", "fail"]),
        ] as [(RetryResult, [String])] {
            start(peek: 4)
            _ = take(head(401))
            _ = take(body(6))
            XCTAssertEqual(take(.ended(CancellationError())), [])
            XCTAssertEqual(take(.decided(decision)), actions)
        }
    }

    func testAnAdapterThatNeedsTimeIsRefreshingUntilTheRequestIsSent() {
        machine = RequestStateMachine(request, redirects: RedirectPolicy(limit: 10, allowsDowngrade: false))
        XCTAssertEqual(take(.start), ["send"])
        XCTAssertEqual(take(.adapting(true)), ["adapt true"])
        XCTAssertEqual(machine.phase, .refreshing)
        XCTAssertEqual(take(.adapting(false)), ["adapt false"])
        XCTAssertEqual(machine.phase, .queued)
        XCTAssertEqual(take(.sending(request)), ["watch", "attempt 1"])
        XCTAssertEqual(take(.adapting(true)), [], "a second preparation of a layer")
        XCTAssertEqual(machine.phase, .queued)
    }

    func testTheDeadlineEndsARequestInAnyState() {
        start(peek: 100)
        _ = take(head(401))
        XCTAssertEqual(take(.fail(CancellationError())), ["cancel", "fail"])
        XCTAssertEqual(take(.ended(nil)), [])
    }

    func testARedirectIsReadToItsEndAndDoesNotCountAsAnAttempt() {
        start()
        XCTAssertEqual(take(head(302, [.location: "/y"])), ["redirect /y"])
        XCTAssertEqual(take(body(10)), [])
        XCTAssertEqual(take(.ended(nil)), ["send"])
        XCTAssertEqual(take(.sending(request)), ["watch"])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["phase"])
        XCTAssertEqual(machine.attempts, 1)
    }

    func testTheRetryOfARedirectThatWasNotSentIsAnAttempt() {
        start()
        _ = take(head(302, [.location: "/y"]))
        XCTAssertEqual(take(.ended(nil)), ["send"])
        XCTAssertEqual(take(.ended(CancellationError())), ["ask about failure"])
        XCTAssertEqual(take(.decided(.retry)), ["cancel", "retry", "send"])
        XCTAssertEqual(take(.sending(request)), ["watch", "attempt 2"])
    }

    func testARedirectWithALargeBodyIsCancelled() {
        start()
        _ = take(head(302, [.location: "/y"]))
        XCTAssertEqual(take(body(65 * 1024)), ["cancel", "send"])
    }

    func testAnInterimResponseIsDelivered() {
        start()
        XCTAssertEqual(
            take(.part(.informational(HTTPResponse(status: .init(code: 103))))), ["informational 103"])
        XCTAssertEqual(take(head(204)), ["head 204"])
    }

    func testAResponseWithoutASendingEventCountsAsAnAttempt() {
        machine = RequestStateMachine(request, redirects: RedirectPolicy(limit: 10, allowsDowngrade: false))
        XCTAssertEqual(take(.start), ["send"])
        XCTAssertEqual(take(head(200)), ["watch", "attempt 1", "head 200"])
        XCTAssertEqual(take(.ended(nil)), ["finish"])
    }

    func testEventsOfAnEarlierTransferAreIgnored() {
        start(peek: 100)
        let first = machine.step
        XCTAssertTrue(machine.expects(first))
        _ = take(head(401))
        _ = take(.ended(nil))
        _ = take(.decided(.retry))
        XCTAssertFalse(machine.expects(first))
        XCTAssertTrue(machine.expects(nil))
        XCTAssertEqual(take(.dispose), ["leave"])
        XCTAssertFalse(machine.expects(nil))
    }

    func testAnErrorThatEndsARequestContainsTheReceivedResponse() throws {
        start(peek: 100)
        _ = take(head(401))
        _ = take(body(3))
        let actions = machine.apply(
            .interrupt(HTTPClientError(.timeout, phase: .preparing, message: "too long")))
        guard case .fail(let error as HTTPClientError)? = Array(actions).last else { return XCTFail("\(actions)") }
        XCTAssertEqual(error.response?.body.count, 3)
        XCTAssertEqual(error.origin, "http://a")
        XCTAssertEqual(error.phase, .receiving)
    }

    func testATimeoutBetweenAttemptsNamesTheEarlierOutcome() throws {
        start(peek: 1)
        _ = take(head(503))
        _ = take(.ended(nil))
        XCTAssertEqual(take(.decided(.retryWithDelay(.seconds(1)))), ["cancel", "retry", "wait"])
        let actions = machine.apply(.interrupt(HTTPClientError(.timeout, phase: .preparing, message: "too long")))
        guard case .fail(let error as HTTPClientError)? = Array(actions).last else { return XCTFail("\(actions)") }
        XCTAssertEqual(error.phase, .retrying)
        XCTAssertEqual(error.message, "too long, and waited to be sent again after the response 503")
        XCTAssertEqual(error.response?.status, .serviceUnavailable)
    }

    func testAResponseWithoutAHeadIsALostConnection() {
        start()
        XCTAssertEqual(take(.ended(nil)), ["ask about failure"])
    }
}

extension RequestStateMachine.Action {
    fileprivate var name: String {
        switch self {
        case .send: "send"
        case .observe: "watch"
        case .cancel: "cancel"
        case .hold(let isHeld): "hold \(isHeld)"
        case .ask(let attempt):
            switch attempt.outcome {
            case .response(let response): "ask about \(response.status.code) with \(response.body.count)"
            case .failure: "ask about failure"
            }
        case .adapt(let isWaiting): "adapt \(isWaiting)"
        case .wait: "wait"
        case .emit(let event): event.name
        case .finish: "finish"
        case .fail: "fail"
        case .leave: "leave"
        }
    }
}

extension RequestEvent {
    fileprivate var name: String {
        switch self {
        case .attempt(let number, _): "attempt \(number)"
        case .phase: "phase"
        case .sent(let bytes, _): "sent \(bytes)"
        case .credentialChanged(let change): "credential \(change)"
        case .informational(let head): "informational \(head.status.code)"
        case .redirect(_, let url): "redirect \(url.path)"
        case .retry: "retry"
        case .head(let head, _): "head \(head.status.code)"
        case .body(let bytes): "body \(bytes.count)"
        case .trailers: "trailers"
        case .finished: "finished"
        }
    }
}
