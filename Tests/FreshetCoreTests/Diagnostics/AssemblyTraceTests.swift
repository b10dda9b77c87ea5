import FreshetCore
import XCTest

final class AssemblyTraceTests: CoreTestCase {
    private let told = Log<String>()
    private let handler = Hooks.assemblyTraceHandler

    override func setUp() {
        super.setUp()
        Hooks.assemblyTraceHandler = { [told] error, site in told.append("\(error) \(site)") }
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
            told.all,
            [
                "first source at FreshetCoreTests/AssemblyTraceTests.swift:\(line)",
                "first checkpoint at FreshetCoreTests/AssemblyTraceTests.swift:\(line)",
            ])
    }

    func testAChainBuiltWithTracingOffReportsNothing() {
        let chain = Observable<Int>.error(Fault.first).checkpoint("source").map { $0 }
        Hooks.assemblyTrace = .checkpoints
        _ = chain.record()
        XCTAssertEqual(told.all, [])
    }

    func testACheckpointReturnsItsSourceWhenTracingIsOff() {
        let source = Observable.just(1)
        XCTAssertTrue(source.checkpoint() === source)
    }

    func testAnErrorIsReportedForEveryOperatorItPasses() {
        let findings = Log<Int>()
        Hooks.assemblyTrace = .operators(by: numbering(findings))
        let wire = Wire<Int>()
        let chain = wire.stream.map { $0 }.filter { _ in true }.flatMap { Observable.just($0) }
        let recorder = Recorder<Int>()
        let subscription = chain.subscribe(recorder)
        wire.send(1)
        XCTAssertEqual(findings.all, [], "nobody wants to know yet")
        wire.fail()
        XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(told.all, [1, 2, 3, 4].map { "first operator at F.swift:\($0)" })
        subscription.dispose()
        let again = chain.subscribe(Recorder<Int>())
        wire.fail()
        XCTAssertEqual(told.all.count, 8)
        XCTAssertEqual(findings.all, [1, 2, 3, 4], "found out once")
        again.dispose()
    }

    func testACaughtErrorIsReportedOnlyUpToTheCatch() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let chain = Observable<Int>.error(Fault.first).map { $0 }.catchAndReturn(1).map { $0 }
        XCTAssertEqual(chain.record().elements, [1])
        XCTAssertEqual(told.all, [1, 2].map { "first operator at F.swift:\($0)" })
    }

    func testTracingDoesNotChangeTheErrorThatObserversReceive() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let chain = Observable<Int>.error(TestError(number: 7)).map { $0 }.checkpoint("here")
        XCTAssertEqual(chain.record().error as? TestError, TestError(number: 7))
    }

    func testAPauseAndADisposalPassTracedOperators() {
        Hooks.assemblyTrace = .operators(by: numbering(Log()))
        let wire = Wire<Int>()
        let place = SerialDisposable()
        place.disposable = wire.stream.checkpoint().map { $0 }.subscribe(Recorder<Int>())
        place.pause()
        place.resume()
        place.dispose()
        XCTAssertEqual(wire.log, ["pause", "resume", "dispose"])
    }
}
