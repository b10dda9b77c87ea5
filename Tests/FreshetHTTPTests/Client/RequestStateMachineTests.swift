import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class RequestStateMachineTests: XCTestCase {
    private var machine: RequestStateMachine!
    private var peeking: Peeking!
    private let request = try! Request(.get, "http://a/x")

    private func start(peek: Int = 0, redirectLimit: Int = 10) {
        peeking = Peeking { head, _ in head.status.code >= 400 ? peek : 0 }
        machine = RequestStateMachine(
            request, redirects: RedirectPolicy(limit: redirectLimit, allowsDowngrade: false), peeking: peeking)
        XCTAssertEqual(take(.start), ["send"])
        XCTAssertEqual(take(.adapted(request)), [])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["attempt 1", "phase"])
    }

    private func take(_ input: RequestStateMachine.Input) -> [String] {
        var actions: [RequestStateMachine.Action] = []
        machine.take(input, &actions)
        return actions.map(\.name)
    }

    private func head(_ status: Int, _ fields: HTTPFields = [:]) -> RequestStateMachine.Input {
        .part(.head(HTTPResponse(status: .init(code: status), headerFields: fields)))
    }

    private func body(_ count: Int) -> RequestStateMachine.Input {
        .part(.body(Array(repeating: 0, count: count)))
    }

    func testAnAnswerThatNobodyPeeksAtIsStreamed() {
        start()
        XCTAssertEqual(take(head(200)), ["head 200"])
        XCTAssertEqual(take(body(3)), ["body 3"])
        XCTAssertEqual(take(.ended), ["finish"])
        XCTAssertEqual(take(body(3)), [])
    }

    func testAPeekedAnswerIsHeldUntilItIsDecidedAndThenDelivered() {
        start(peek: 100)
        XCTAssertEqual(take(head(401)), [])
        XCTAssertEqual(take(body(3)), [])
        XCTAssertEqual(take(.ended), ["ask about 401 with 3"])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["head 401", "body 3", "finish"])
    }

    func testAPeekedAnswerThatIsLongerThanThePeekHoldsTheTransportUntilItIsDecided() {
        start(peek: 4)
        XCTAssertEqual(take(head(500)), [])
        XCTAssertEqual(take(body(6)), ["hold true", "ask about 500 with 4"])
        XCTAssertEqual(take(body(2)), [])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["head 500", "body 6", "body 2", "hold false"])
        XCTAssertEqual(take(body(1)), ["body 1"])
        XCTAssertEqual(take(.ended), ["finish"])
    }

    func testARetryAdaptsTheOriginalRequestAgain() {
        start(peek: 100)
        _ = take(head(401))
        _ = take(.ended)
        XCTAssertEqual(take(.decided(.retry)), ["cancel", "retry", "send"])
        XCTAssertEqual(take(.adapted(request)), [])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["attempt 2", "phase"])
    }

    func testARequestThatIsAdaptedTwiceBeforeItIsSentIsOneAttempt() {
        start(peek: 100)
        _ = take(.failed(CancellationError(), isFinal: false))
        _ = take(.decided(.retry))
        XCTAssertEqual(take(.adapted(request)), [])
        XCTAssertEqual(take(.adapted(request)), [])
        XCTAssertEqual(take(head(200)), ["attempt 2", "head 200"])
    }

    func testADelayedRetryWaitsFirst() {
        start(peek: 100)
        _ = take(.failed(CancellationError(), isFinal: false))
        XCTAssertEqual(take(.decided(.retryWithDelay(.seconds(1)))), ["cancel", "retry", "wait"])
        XCTAssertEqual(take(.waited), ["send"])
    }

    func testAFailureThatIsNotRetriedIsTheEnd() {
        start()
        XCTAssertEqual(take(.failed(CancellationError(), isFinal: false)), ["ask about failure"])
        XCTAssertEqual(take(.decided(.doNotRetry)), ["fail"])
    }

    func testAFailureAfterDeliveryBeganIsNotRetried() {
        start()
        _ = take(head(200))
        XCTAssertEqual(take(.failed(CancellationError(), isFinal: false)), ["fail"])
    }

    func testATransferThatFailsWhileItIsDecidedAboutChangesNoDecision() {
        for (decision, actions) in [
            (.retry, ["cancel", "retry", "send"]), (.doNotRetry, ["head 401", "body 6", "fail"]),
        ] as [(RetryResult, [String])] {
            start(peek: 4)
            _ = take(head(401))
            _ = take(body(6))
            XCTAssertEqual(take(.failed(CancellationError(), isFinal: false)), [])
            XCTAssertEqual(take(.decided(decision)), actions)
        }
    }

    func testTheDeadlineEndsEveryState() {
        start(peek: 100)
        _ = take(head(401))
        XCTAssertEqual(take(.failed(CancellationError(), isFinal: true)), ["cancel", "fail"])
        XCTAssertEqual(take(.ended), [])
    }

    func testARedirectIsReadToItsEndAndIsNoAttempt() {
        start()
        XCTAssertEqual(take(head(302, [.location: "/y"])), ["redirect /y"])
        XCTAssertEqual(take(body(10)), [])
        XCTAssertEqual(take(.ended), ["send"])
        XCTAssertEqual(take(.adapted(request)), [])
        XCTAssertEqual(take(.part(.phase(.admitted))), ["phase"])
        XCTAssertEqual(machine.attempts, 1)
    }

    func testARedirectWithALargeBodyIsCutOff() {
        start()
        _ = take(head(302, [.location: "/y"]))
        XCTAssertEqual(take(body(65 * 1024)), ["cancel", "send"])
    }

    func testAnInterimAnswerIsPassedOn() {
        start()
        XCTAssertEqual(
            take(.part(.informational(HTTPResponse(status: .init(code: 103))))), ["informational 103"])
        XCTAssertEqual(take(head(204)), ["head 204"])
    }

    func testAnAnswerThatEndsBeforeItsHeadIsALostConnection() {
        start()
        XCTAssertEqual(take(.ended), ["ask about failure"])
    }
}

extension RequestStateMachine.Action {
    fileprivate var name: String {
        switch self {
        case .send: "send"
        case .cancel: "cancel"
        case .hold(let isHeld): "hold \(isHeld)"
        case .ask(let attempt):
            switch attempt.outcome {
            case .response(let response): "ask about \(response.status.code) with \(response.body.count)"
            case .failure: "ask about failure"
            }
        case .wait: "wait"
        case .emit(let event): event.name
        case .finish: "finish"
        case .fail: "fail"
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
