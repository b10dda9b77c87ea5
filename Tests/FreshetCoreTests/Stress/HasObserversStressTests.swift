import FreshetCore
import XCTest

/// Tests subjects that get an element as soon as they report an observer.
final class HasObserversStressTests: StressCase {
    /// Subscribes to each subject on one thread, and sends to it on another.
    private func expectDelivery<Subject: Observable<Int> & Sendable>(
        _ make: () -> Subject, ready: @escaping @Sendable (Subject) -> Bool,
        send: @escaping @Sendable (Subject) -> Void,
        line: UInt = #line
    ) {
        let subjects = (0..<20_000).map { _ in make() }
        let recorders = subjects.map { _ in UnsynchronizedRecorder<Int>() }
        onThreads(2) { thread in
            for (subject, recorder) in zip(subjects, recorders) {
                if thread == 0 {
                    _ = subject.subscribe(recorder)
                } else {
                    while !ready(subject) {}
                    send(subject)
                }
            }
        }
        XCTAssertEqual(recorders.count { $0.elements.last != 1 }, 0, "undelivered", line: line)
    }

    func testAnElementSentOnceHasObserversIsTrueIsDelivered() {
        expectDelivery({ PublishSubject<Int>() }, ready: { $0.hasObservers }, send: { $0.onNext(1) })
        expectDelivery({ BehaviorSubject(value: 0) }, ready: { $0.hasObservers }, send: { $0.onNext(1) })
        expectDelivery({ ReplaySubject<Int>.create(bufferSize: 1) }, ready: { $0.hasObservers }, send: { $0.onNext(1) })
    }
}
