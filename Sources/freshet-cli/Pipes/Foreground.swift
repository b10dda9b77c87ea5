import Dispatch
import Freshet

/// Blocks the main thread until `work` ends, or until a signal of ``Signals``. In each case the subscription is disposed of.
///
/// - Throws: the error of `work`, or ``Stopped``.
func finish<Element: Sendable>(_ work: Observable<Element>) throws {
    let outcome = Outcome()
    Signals.shared.handle { outcome.end(with: Stopped(signal: $0)) }
    let subscription = work.subscribe(onError: { outcome.end(with: $0) }, onCompleted: { outcome.end(with: nil) })
    let error = outcome.wait()
    subscription.dispose()
    Signals.shared.removeHandler()
    if let error { throw error }
}

/// Waits for `work` as ``finish(_:)`` does, and returns its element.
func result<Element: Sendable>(of work: Single<Element>) throws -> Element {
    let result = Locked<Element?>(nil)
    try finish(work.do(onSuccess: { element in result.withLock { $0 = element } }).asObservable())
    guard let value = result.withLock({ $0 }) else { throw RxError.noElements }
    return value
}

/// The value of `body`, or `nil` if that fails. A signal ends the command all the same.
///
/// - Throws: ``Stopped``.
func optional<Value>(_ body: () throws -> Value?) throws -> Value? {
    do {
        return try body()
    } catch let error where !(error is Stopped) {
        return nil
    }
}

/// How the work ended. The first call of ``end(with:)`` counts.
private final class Outcome: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let result = Locked<Result<Void, any Error>?>(nil)

    func end(with error: (any Error)?) {
        let isFirst = result.withLock { result in
            defer { result = result ?? error.map { .failure($0) } ?? .success(()) }
            return result == nil
        }
        if isFirst { isOver.signal() }
    }

    func wait() -> (any Error)? {
        isOver.wait()
        guard case .failure(let error) = result.withLock({ $0 }) else { return nil }
        return error
    }
}
