import FreshetCore
import FreshetFoundation
import XCTest

final class AssemblyBacktraceTests: XCTestCase {
    private let reported = Locked<[String]>([])

    override func setUp() {
        super.setUp()
        Hooks.assemblyTraceHandler = { [reported] _, site in reported.withLock { $0.append("\(site)") } }
        Hooks.assemblyTrace = .operators(by: .backtrace)
    }

    override func tearDown() {
        Hooks.assemblyTrace = .off
        super.tearDown()
    }

    private func callSite(_ operation: String, _ line: Int) -> String {
        "\(operation) at FreshetFoundationTests/AssemblyBacktraceTests.swift:\(line)"
    }

    func testAnErrorReportsTheOperatorsItPassedAndTheirCallSites() {
        let line = #line
        let failing = Observable<Int>.error(RxError.noElements)
        let chain =
            failing
            .map { $0 + 1 }
            .flatMap { Observable.just($0) }
            .concat(Observable.just(1))
            .retry(2)
            .share()
        _ = chain.subscribe(onError: { _ in })
        let attempt = [
            callSite("error(_:)", line + 1), callSite("map(_:)", line + 4), callSite("flatMap(_:)", line + 5),
            callSite("concat(_:)", line + 6),
        ]
        XCTAssertEqual(
            reported.withLock { $0 },
            attempt + attempt + [callSite("retry(_:)", line + 7), callSite("share(replay:scope:)", line + 8)])
    }

    func testAnOperatorComposedOfOthersIsReportedOnce() {
        let line = #line + 1
        _ = Observable<Int>.empty().single { $0 > 0 }.subscribe(onError: { _ in })
        XCTAssertEqual(reported.withLock { $0 }, [callSite("single(_:)", line)])
    }

    func testAnErrorReportsTheCallSitesOfTraits() {
        let line = #line + 1
        let single = Observable<Int>.empty().asSingle().map { $0 }
        _ = single.subscribe(onFailure: { _ in })
        XCTAssertEqual(reported.withLock { $0 }, [callSite("asSingle()", line), callSite("map(_:)", line)])
    }

    func testAChainBuiltInAClosureIsReportedWithTheLinesOfTheClosure() {
        let line = #line + 2
        let chain = Observable.of(1).flatMap { number in
            Observable<Int>.error(RxError.noElements).filter { $0 > number }
        }
        _ = chain.subscribe(onError: { _ in })
        XCTAssertEqual(
            reported.withLock { $0 },
            [callSite("error(_:)", line), callSite("filter(_:)", line), callSite("flatMap(_:)", line - 1)])
    }
}
