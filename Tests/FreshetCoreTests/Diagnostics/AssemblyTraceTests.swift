import FreshetCore
import XCTest

final class AssemblyTraceTests: CoreTestCase {
    private let reported = Log<String>()
    private let handler = Hooks.assemblyTraceHandler

    override func setUp() {
        super.setUp()
        Hooks.assemblyTraceHandler = { [reported] error, site in reported.append("\(error) \(site)") }
    }

    override func tearDown() {
        Hooks.assemblyTrace = .off
        Hooks.assemblyTraceHandler = handler
        super.tearDown()
    }

    /// Numbers the operators in the order of their calls, and logs each lookup of a site.
    private func numbering(_ findings: Log<Int>) -> AssemblyCapture {
        let count = Locked(0)
        return AssemblyCapture {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return {
                findings.append(number)
                return AssemblySite(operation: "operator", file: "F.swift", line: number)
            }
        }
    }

    func testACheckpointReportsTheErrorsThatPassIt() {
        Hooks.assemblyTrace = .checkpoints
        let line = #line + 1
        let chain = Observable<Int>.error(Fault.first).checkpoint("source").map { $0 }.checkpoint()
        XCTAssertEqual(chain.record().events, [.error(Fault.first)])
        XCTAssertEqual(
            reported.all,
            [
                "first source at FreshetCoreTests/AssemblyTraceTests.swift:\(line)",
                "first checkpoint at FreshetCoreTests/AssemblyTraceTests.swift:\(line)",
            ])
    }

    func testAChainBuiltWithTracingOffReportsNothing() {
        let chain = Observable<Int>.error(Fault.first).checkpoint("source").map { $0 }
        Hooks.assemblyTrace = .checkpoints
        _ = chain.record()
        XCTAssertEqual(reported.all, [])
    }

    func testACheckpointReturnsItsSourceWhenTracingIsOff() {
        let source = Observable.just(1)
        XCTAssertTrue(source.checkpoint() === source)
    }

    func testAnErrorIsReportedForEveryOperatorItPasses() {
        let findings = Log<Int>()
        Hooks.assemblyTrace = .operators(by: numbering(findings))
        let source = ControlledSource<Int>()
        let chain = source.stream.map { $0 }.filter { _ in true }.flatMap { Observable.just($0) }
        let recorder = Recorder<Int>()
        let subscription = chain.subscribe(recorder)
        source.send(1)
        XCTAssertEqual(findings.all, [], "no site is looked up before an error")
        source.fail()
        XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(reported.all, [1, 2, 3, 4].map { "first operator at F.swift:\($0)" })
        subscription.dispose()
        let again = chain.subscribe(Recorder<Int>())
        source.fail()
        XCTAssertEqual(reported.all.count, 8)
        XCTAssertEqual(findings.all, [1, 2, 3, 4], "found out once")
        again.dispose()
    }

    func testACaughtErrorIsReportedOnlyUpToTheCatch() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let chain = Observable<Int>.error(Fault.first).map { $0 }.catchAndReturn(1).map { $0 }
        XCTAssertEqual(chain.record().elements, [1])
        XCTAssertEqual(reported.all, [1, 2].map { "first operator at F.swift:\($0)" })
    }

    func testTracingDoesNotChangeTheErrorThatObserversReceive() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let chain = Observable<Int>.error(TestError(number: 7)).map { $0 }.checkpoint("here")
        XCTAssertEqual(chain.record().error as? TestError, TestError(number: 7))
    }

    func testAPauseAndADisposalPassTracedOperators() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let source = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.checkpoint().map { $0 }.subscribe(Recorder<Int>())
        subscription.pause()
        subscription.resume()
        subscription.dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
    }
}
