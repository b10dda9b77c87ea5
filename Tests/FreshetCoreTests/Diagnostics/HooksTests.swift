import FreshetCore
import XCTest

final class HooksTests: CoreTestCase {
    private let handler = Hooks.defaultErrorHandler
    private let capture = Hooks.customCaptureSubscriptionCallstack
    private let traceHandler = Hooks.assemblyTraceHandler

    override func tearDown() {
        Hooks.defaultErrorHandler = handler
        Hooks.customCaptureSubscriptionCallstack = capture
        Hooks.recordCallStackOnError = false
        Hooks.assemblyTraceHandler = traceHandler
        super.tearDown()
    }

    func testAnErrorWithoutAnErrorClosureReachesTheDefaultHandler() {
        let taken = Log<String>()
        Hooks.defaultErrorHandler = { stack, error in taken.append("\(error) \(stack)") }
        _ = Observable<Int>.error(Fault.first).subscribe()
        _ = Observable<Int>.error(Fault.first).subscribe(onNext: { _ in }, onDisposed: { taken.append("disposed") })
        _ = Single<Int>.error(Fault.second).subscribe()
        _ = Maybe<Int>.error(Fault.second).subscribe(onSuccess: { _ in })
        _ = Completable.error(Fault.second).subscribe(onCompleted: {})
        XCTAssertEqual(taken.all, ["first []", "first []", "disposed", "second []", "second []", "second []"])
    }

    func testAHandledErrorDoesNotReachTheDefaultHandler() {
        let taken = Log<String>()
        Hooks.defaultErrorHandler = { _, error in taken.append("\(error)") }
        _ = Observable<Int>.error(Fault.first).subscribe(onError: { _ in })
        _ = Observable<Int>.error(Fault.first).subscribe { _ in }
        _ = Observable<Int>.error(Fault.first).subscribe(PublishSubject())
        _ = Observable<Int>.error(Fault.first).subscribe(with: self, onNext: { _, _ in })
        _ = Single<Int>.error(Fault.first).subscribe(onFailure: { _ in })
        _ = Observable<Int>.empty().subscribe()
        XCTAssertEqual(taken.all, [])
    }

    func testTheHandlerReceivesTheRecordedCallStackOfTheSubscription() {
        let stacks = Log<[String]>()
        Hooks.defaultErrorHandler = { stack, _ in stacks.append(stack) }
        Hooks.customCaptureSubscriptionCallstack = { ["here"] }
        let subject = PublishSubject<Int>()
        let before = subject.subscribe()
        Hooks.recordCallStackOnError = true
        let after = subject.subscribe()
        Hooks.recordCallStackOnError = false
        subject.onError(Fault.first)
        XCTAssertEqual(stacks.all, [[], ["here"]])
        before.dispose()
        after.dispose()
    }

    func testTheDefaultCaptureRecordsTheFramesOfTheThread() {
        XCTAssertTrue(capture().contains { $0.contains("XCTest") }, "\(capture())")
    }

    func testManyErrorsDoNotDeepenTheHandler() {
        let taken = Counter()
        Hooks.defaultErrorHandler = { _, _ in taken.increment() }
        onASmallStack {
            for _ in 0..<20_000 { _ = Observable<Int>.error(Fault.first).subscribe() }
            for _ in 0..<20_000 { _ = Hooks.customCaptureSubscriptionCallstack }
            _ = Hooks.customCaptureSubscriptionCallstack()
        }
        XCTAssertEqual(taken.value, 20_000)
    }

    func testTheReleaseOfAHandlerCanReadTheHooks() {
        onThreads(1, within: 10) { _ in
            let owner = HookOwner()
            Hooks.defaultErrorHandler = { _, _ in withExtendedLifetime(owner) {} }
        }
        onThreads(1, within: 10) { _ in Hooks.defaultErrorHandler = { _, _ in } }
        onThreads(1, within: 10) { _ in
            let owner = HookOwner()
            Hooks.customCaptureSubscriptionCallstack = { withExtendedLifetime(owner) { [] } }
        }
        onThreads(1, within: 10) { _ in Hooks.customCaptureSubscriptionCallstack = { [] } }
        onThreads(1, within: 10) { _ in
            let owner = HookOwner()
            Hooks.assemblyTraceHandler = { _, _ in withExtendedLifetime(owner) {} }
        }
        onThreads(1, within: 10) { _ in Hooks.assemblyTraceHandler = { _, _ in } }
        onThreads(1, within: 10) { _ in
            let owner = HookOwner()
            Hooks.assemblyTrace = .operators(by: AssemblyCapture { withExtendedLifetime(owner) { nil } })
        }
        onThreads(1, within: 10) { _ in Hooks.assemblyTrace = .off }
    }

    func testAHandlerCanReplaceItself() {
        Hooks.defaultErrorHandler = { _, _ in Hooks.defaultErrorHandler = { _, _ in } }
        _ = Observable<Int>.error(Fault.first).subscribe()
    }
}

/// Reads all hooks when it is released.
private final class HookOwner: Sendable {
    deinit {
        _ = Hooks.defaultErrorHandler
        _ = Hooks.customCaptureSubscriptionCallstack
        _ = Hooks.assemblyTrace
        _ = Hooks.assemblyTraceHandler
    }
}
