import Foundation
import Freshet

/// Reads on a thread of its own, and only as far ahead as somebody wants it: a pause stops the reading, and with it whoever
/// writes at the other end of the pipe.
// Unchecked: what is read belongs to the thread that reads, the state is shared under the condition.
final class InputReader<Element: Sendable>: Pausable, @unchecked Sendable {
    private let next: () throws -> Element?
    private let condition = NSCondition()
    private var isPaused = false
    private var isDisposed = false

    private init(_ next: @escaping () throws -> Element?) {
        self.next = next
    }

    /// A stream of what `next` returns until that is `nil`.
    ///
    /// - Parameter make: called for each subscription.
    static func stream(_ make: @escaping @Sendable () -> () throws -> Element?) -> Observable<Element> {
        .create { observer in
            let reader = InputReader(make())
            Thread.detachNewThread { reader.run(observer) }
            return reader
        }
    }

    private func run(_ observer: AnyObserver<Element>) {
        do {
            while isWanted() {
                guard let element = try next() else { return observer.onCompleted() }
                observer.onNext(element)
            }
        } catch {
            observer.onError(
                HTTPClientError(.invalidRequest, phase: .preparing, message: "the input can't be read: \(error)"))
        }
    }

    /// Waits while nothing is wanted; `false` after the end of the subscription.
    private func isWanted() -> Bool {
        condition.withLock {
            while isPaused && !isDisposed { condition.wait() }
            return !isDisposed
        }
    }

    func pause() {
        condition.withLock { isPaused = true }
    }

    func resume() {
        change { isPaused = false }
    }

    func dispose() {
        change { isDisposed = true }
    }

    private func change(_ body: () -> Void) {
        condition.withLock {
            body()
            condition.signal()
        }
    }
}
