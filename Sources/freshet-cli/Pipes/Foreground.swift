import Dispatch
import Freshet

/// How long work may take to end after a signal. The reader of the output may take nothing any more.
private let patience = 1.0

/// Blocks the main thread until `work` ends, or until a signal of ``Signals``. In each case the subscription is disposed of.
///
/// - Parameter stop: makes `work` end by itself after a signal, for which it has a second.
/// - Throws: ``Stopped`` after a signal, otherwise the error of `work`.
func finish<Element: Sendable>(_ work: Observable<Element>, stop: (@Sendable () -> Void)? = nil) throws {
    let outcome = Outcome()
    let stopped = Locked<Stopped?>(nil)
    Signals.shared.handle { signal in
        let error = Stopped(signal: signal)
        guard let stop else { return outcome.end(with: error) }
        stopped.withLock { $0 = error }
        stop()
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { outcome.end(with: error) }
    }
    let subscription = work.subscribe(onError: { outcome.end(with: $0) }, onCompleted: { outcome.end(with: nil) })
    let error = outcome.wait()
    subscription.dispose()
    Signals.shared.removeHandler()
    if let error = stopped.withLock({ $0 }) ?? error { throw error }
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
