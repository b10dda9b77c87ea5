import Freshet
import FreshetTesting
import XCTest

/// A test of names, labels and inference: each call is written as it is for RxSwift, and the test checks its result.
class VocabularyTestCase: XCTestCase {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    private var resources = 0

    override func setUp() {
        super.setUp()
        resources = Resources.total
    }

    override func tearDown() {
        // A task may release a test's objects a moment after its part of the test, also during the next one.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total > resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertLessThanOrEqual(Resources.total, resources)
        super.tearDown()
    }

    /// The events of a source with a subscription at 0, while virtual time runs to 1000.
    func events<Source: ObservableConvertibleType>(of source: Source) -> [Event<Source.Element>] {
        let observer = scheduler.createObserver(Source.Element.self)
        let subscription = source.asObservable().subscribe(observer)
        scheduler.advanceBy(1000)
        subscription.dispose()
        return observer.events.map(\.value)
    }

    func elements<Source: ObservableConvertibleType>(of source: Source) -> [Source.Element] {
        events(of: source).compactMap(\.element)
    }
}

enum Failure: Error, Equatable {
    case first, second
}
