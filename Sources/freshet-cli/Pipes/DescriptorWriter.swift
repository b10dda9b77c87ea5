import Foundation
import Freshet

extension ObservableType where Element: Sendable {
    /// Writes what `bytes` makes of each element to a descriptor, in order and on a thread of its own, and completes when
    /// all of it is written. While more than `highWater` waits, the source is paused.
    ///
    /// - Parameters:
    ///   - cost: about how many bytes an element holds.
    ///   - finish: called on the same thread after the last write.
    func written(
        to descriptor: Int32, highWater: Int = 1 << 20, cost: @escaping @Sendable (Element) -> Int,
        finish: @escaping @Sendable () throws -> Void = {}, bytes: @escaping @Sendable (Element) -> [UInt8]
    ) -> Observable<Never> {
        .create { observer in
            let source = SerialDisposable()
            let writer = DescriptorWriter<Element>(descriptor, highWater: highWater, source: source)
            Thread.detachNewThread { writer.run(observer, bytes: bytes, finish: finish) }
            source.disposable = subscribe { event in
                writer.append(event, cost: event.element.map(cost) ?? 0)
            }
            return Disposables.create(source, Disposables.create(with: writer.cancel))
        }
    }
}

/// The elements that wait for their turn; the state is shared under the condition.
private final class DescriptorWriter<Element: Sendable>: @unchecked Sendable {
    private let descriptor: Int32
    private let highWater: Int
    private let source: SerialDisposable
    private let condition = NSCondition()
    private var queue: [(event: Event<Element>, cost: Int)] = []
    private var waiting = 0
    private var isPaused = false
    private var isCancelled = false

    init(_ descriptor: Int32, highWater: Int, source: SerialDisposable) {
        self.descriptor = descriptor
        self.highWater = highWater
        self.source = source
    }

    func append(_ event: Event<Element>, cost: Int) {
        let mustPause = condition.withLock {
            queue.append((event, cost))
            waiting += cost
            condition.signal()
            guard waiting > highWater, !isPaused else { return false }
            isPaused = true
            return true
        }
        if mustPause { holdOrRelease() }
    }

    /// Repeated until what was done is what is wanted, as the other thread may have changed its mind in between.
    private func holdOrRelease() {
        var isHeld: Bool
        repeat {
            isHeld = condition.withLock { isPaused }
            if isHeld { source.pause() } else { source.resume() }
        } while isHeld != condition.withLock { isPaused }
    }

    func cancel() {
        condition.withLock {
            isCancelled = true
            queue = []
            condition.signal()
        }
    }

    func run(
        _ observer: AnyObserver<Never>, bytes: (Element) -> [UInt8], finish: () throws -> Void
    ) {
        do {
            while let event = next() {
                switch event {
                case .next(let element): try writeAll(bytes(element), to: descriptor)
                case .error(let error): return observer.onError(error)
                case .completed:
                    try finish()
                    return observer.onCompleted()
                }
            }
        } catch {
            observer.onError(outputFailure(error))
        }
    }

    private func next() -> Event<Element>? {
        let (event, mustResume) = condition.withLock {
            while queue.isEmpty && !isCancelled { condition.wait() }
            guard !isCancelled else { return (Event<Element>?.none, false) }
            let (event, cost) = queue.removeFirst()
            waiting -= cost
            guard isPaused, waiting <= highWater / 2 else { return (event, false) }
            isPaused = false
            return (event, true)
        }
        if mustResume { holdOrRelease() }
        return event
    }
}
