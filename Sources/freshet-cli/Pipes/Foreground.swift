import Foundation
import Freshet

/// Keeps the main thread until `work` ends, or until Ctrl-C or a SIGTERM; either way nothing of it is left behind.
///
/// - Throws: the error of `work`, or ``Stopped``.
func finish<Element: Sendable>(_ work: Observable<Element>) throws {
    let outcome = Outcome()
    Signals.shared.take { outcome.end(with: Stopped(signal: $0)) }
    let subscription = work.subscribe(onError: { outcome.end(with: $0) }, onCompleted: { outcome.end(with: nil) })
    let error = outcome.wait()
    subscription.dispose()
    Signals.shared.letGo()
    if let error { throw error }
}

/// The result of `work`, waited for as ``finish(_:)`` does.
func result<Element: Sendable>(of work: Single<Element>) throws -> Element {
    let box = ResultBox<Element>()
    try finish(work.do(onSuccess: { box.value = $0 }).asObservable())
    guard let value = box.value else { throw RxError.noElements }
    return value
}

/// Written before the work ends, and read after it has.
private final class ResultBox<Element>: @unchecked Sendable {
    var value: Element?
}

/// How the work ended; the first word counts.
private final class Outcome: @unchecked Sendable {
    private let condition = NSCondition()
    private var error: (any Error)?
    private var isOver = false

    func end(with error: (any Error)?) {
        condition.withLock {
            if isOver { return }
            isOver = true
            self.error = error
            condition.signal()
        }
    }

    func wait() -> (any Error)? {
        condition.withLock {
            while !isOver { condition.wait() }
            return error
        }
    }
}
