import XCTest

@testable import FreshetEvents

final class EventSourceQueueTests: XCTestCase {
    private final class Element {}

    private struct Reference {
        weak var element: Element?
    }

    func testAQueueThatIsNeverEmptyReleasesWhatWasRemoved() {
        var queue = EventSourceQueue<Element>()
        queue.append(Element())
        var references: [Reference] = []
        for _ in 0..<100 {
            let element = Element()
            references.append(Reference(element: element))
            queue.append(element)
            queue.popFirst()
        }
        XCTAssertEqual(queue.count, 1)
        XCTAssertLessThan(references.count { $0.element != nil }, 4)
    }

    func testElementsKeepTheirOrderHoweverManyWait() {
        var queue = EventSourceQueue<Int>()
        var (added, removed) = (0, 0)
        for size in [1, 2, 3, 100, 7, 0, 40, 1, 0] {
            while queue.count < size {
                queue.append(added)
                added += 1
            }
            while queue.count > size {
                XCTAssertEqual(queue.first, removed)
                XCTAssertEqual(queue.popFirst(), removed)
                removed += 1
            }
        }
        XCTAssertTrue(queue.isEmpty)
        XCTAssertNil(queue.popFirst())
    }

    func testElementsThatWereRemovedDoNotComeBack() {
        var queue = EventSourceQueue<Int>()
        for number in 0..<10 { queue.append(number) }
        queue.popFirst()
        queue.removeAll { $0 % 2 == 1 }
        XCTAssertEqual((0..<queue.count).map { _ in queue.popFirst() }, [2, 4, 6, 8])
    }
}
