import FreshetCore
import XCTest

/// Tests subjects that get an element as soon as they report an observer.
final class ListeningStressTests: StressCase {
    /// Subscribes to each subject on one thread, and sends to it on another.
    private func expectHearing<Subject: Observable<Int> & Sendable>(
        _ make: () -> Subject, ready: @escaping @Sendable (Subject) -> Bool, say: @escaping @Sendable (Subject) -> Void,
        line: UInt = #line
    ) {
        let subjects = (0..<20_000).map { _ in make() }
        let tapes = subjects.map { _ in Tape<Int>() }
        onThreads(2) { thread in
            for (subject, tape) in zip(subjects, tapes) {
                if thread == 0 {
                    _ = subject.subscribe(tape)
                } else {
                    while !ready(subject) {}
                    say(subject)
                }
            }
        }
        XCTAssertEqual(tapes.count { $0.elements.last != 1 }, 0, "unheard", line: line)
    }

    func testAnElementSentOnceHasObserversIsTrueIsDelivered() {
        expectHearing({ PublishSubject<Int>() }, ready: { $0.hasObservers }, say: { $0.onNext(1) })
        expectHearing({ BehaviorSubject(value: 0) }, ready: { $0.hasObservers }, say: { $0.onNext(1) })
        expectHearing({ ReplaySubject<Int>.create(bufferSize: 1) }, ready: { $0.hasObservers }, say: { $0.onNext(1) })
    }
}
