import Freshet
import FreshetTesting
import XCTest

/// A test of names, labels and inference: each call is written as it is against RxSwift, and its answer looked at.
class VocabularyTestCase: XCTestCase {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    private var resources = 0

    override func setUp() {
        super.setUp()
        resources = Resources.total
    }

    override func tearDown() {
        // A task that has done its part lets go of it a moment later.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
        super.tearDown()
    }

    /// What the stream says if it is subscribed to at 0 and virtual time runs on to 1000.
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
