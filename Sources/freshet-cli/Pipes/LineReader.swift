import Foundation
import Freshet

/// A line of the input, without its end.
struct InputLine: Sendable {
    /// From 1.
    var number: Int
    /// `nil` if it is longer than it may be.
    var bytes: [UInt8]?
}

/// The lines of a descriptor, read on a thread of its own and only as far ahead as somebody wants them: a pause stops
/// the reading, and with it whoever writes at the other end of the pipe.
func lines(of descriptor: Int32, longest: Int) -> Observable<InputLine> {
    .create { observer in
        let reader = LineReader(descriptor, longest: longest)
        Thread.detachNewThread { reader.run(observer) }
        return reader
    }
}

/// The bytes belong to the thread that reads, the state is shared under the condition.
private final class LineReader: Pausable, @unchecked Sendable {
    private let descriptor: Int32
    private let longest: Int
    private let condition = NSCondition()
    private var isPaused = false
    private var isDisposed = false

    init(_ descriptor: Int32, longest: Int) {
        self.descriptor = descriptor
        self.longest = longest
    }

    func run(_ observer: AnyObserver<InputLine>) {
        var splitter = LineSplitter(longest: longest)
        do {
            while isWanted() {
                if let line = splitter.next() {
                    observer.onNext(line)
                } else if !splitter.hasEnded {
                    splitter.append(try read(upTo: 64 * 1024, from: descriptor))
                } else {
                    return observer.onCompleted()
                }
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

/// Cuts pieces of input into lines; the last one needs no line feed.
struct LineSplitter {
    private let longest: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var number = 0
    private var isSkipping = false
    private(set) var hasEnded = false

    init(longest: Int) {
        self.longest = longest
    }

    /// Takes the next bytes; none are the end.
    mutating func append(_ bytes: [UInt8]) {
        if bytes.isEmpty { hasEnded = true }
        buffer.removeFirst(start)
        searched -= start
        start = 0
        buffer += bytes
    }

    mutating func next() -> InputLine? {
        if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            return line(upTo: end, next: end + 1)
        }
        searched = buffer.count
        if hasEnded, start < buffer.count || isSkipping { return line(upTo: buffer.count, next: buffer.count) }
        if buffer.count - start > longest {
            isSkipping = true
            start = buffer.count
        }
        return nil
    }

    private mutating func line(upTo end: Int, next: Int) -> InputLine {
        defer {
            start = next
            searched = next
            isSkipping = false
        }
        number += 1
        return InputLine(number: number, bytes: isSkipping || end - start > longest ? nil : Array(buffer[start..<end]))
    }
}
