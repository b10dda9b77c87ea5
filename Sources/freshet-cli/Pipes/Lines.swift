import Foundation
import Freshet

/// A line of the input, without its end.
struct InputLine: Sendable {
    /// From 1.
    var number: Int
    /// `nil` if it is longer than it may be.
    var bytes: [UInt8]?
}

extension ObservableType where Element == [UInt8] {
    /// The bytes in lines, which end with a line feed; the last one needs none. While nobody wants lines, none are read.
    ///
    /// - Parameter longest: how many bytes of a line are kept.
    func lines(longest: Int) -> Observable<InputLine> {
        let pieces = asObservable()
        return .create { observer in
            let cutter = LineCutter(longest: longest, observer)
            cutter.source.disposable = pieces.subscribe(cutter.take)
            return cutter
        }
    }
}

/// Cuts a stream into lines, and keeps those that nobody wants yet; its source is held as long as there are some.
// Unchecked: the splitter is touched by events alone, which are serial, and the state under the lock.
private final class LineCutter: Pausable, @unchecked Sendable {
    private struct State {
        var lines: ArraySlice<InputLine> = []
        var end: Event<InputLine>?
        var isHeld = false
        var isOver = false
        /// Somebody hands lines on; who comes meanwhile leaves it to them.
        var isBusy = false
    }

    private enum Step {
        case emit(InputLine), end(Event<InputLine>), wait, refill
    }

    let source = SerialDisposable()
    private let observer: AnyObserver<InputLine>
    private var splitter: LineSplitter
    private let lock = NSLock()
    private var state = State()

    init(longest: Int, _ observer: AnyObserver<InputLine>) {
        self.observer = observer
        splitter = LineSplitter(longest: longest)
    }

    @Sendable
    func take(_ event: Event<[UInt8]>) {
        let lines: [InputLine]
        var end: Event<InputLine>?
        switch event {
        case .next(let bytes):
            lines = splitter.take(bytes)
            source.pause()
        case .completed: (lines, end) = (splitter.finish(), .completed)
        case .error(let error): (lines, end) = ([], .error(error))
        }
        lock.withLock {
            state.lines += lines
            state.end = end
        }
        proceed()
    }

    func pause() {
        lock.withLock { state.isHeld = true }
    }

    func resume() {
        lock.withLock { state.isHeld = false }
        proceed()
    }

    func dispose() {
        lock.withLock { state.isOver = true }
        source.dispose()
    }

    private func proceed() {
        let isFree = lock.withLock {
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard isFree else { return }
        while true {
            switch lock.withLock(next) {
            case .emit(let line): observer.onNext(line)
            case .end(let event): return observer.on(event)
            case .refill: return source.resume()
            case .wait: return
            }
        }
    }

    private func next() -> Step {
        if !state.isOver, !state.isHeld {
            if let line = state.lines.popFirst() { return .emit(line) }
            if let end = state.end {
                state.isOver = true
                return .end(end)
            }
        }
        state.isBusy = false
        return state.isOver || state.isHeld ? .wait : .refill
    }
}

/// Cuts pieces of input into lines. Each byte is looked at once, and copied once more if its line began in an earlier piece.
struct LineSplitter {
    private let longest: Int
    /// What has come of a line whose end has not.
    private var begun: [UInt8] = []
    private var isTooLong = false
    private var hasBegun = false
    private var number = 0

    init(longest: Int) {
        self.longest = longest
    }

    /// The lines that end in `bytes`.
    mutating func take(_ bytes: [UInt8]) -> [InputLine] {
        var lines: [InputLine] = []
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while start < bytes.count {
                guard let found = memchr(base + start, 0x0A, bytes.count - start) else { break }
                let end = UnsafeRawPointer(base).distance(to: found)
                append(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                lines.append(ended())
                start = end + 1
            }
            if start < bytes.count { append(UnsafeBufferPointer(rebasing: bytes[start...])) }
        }
        return lines
    }

    /// What stands after the last end, if anything does.
    mutating func finish() -> [InputLine] {
        hasBegun ? [ended()] : []
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        hasBegun = true
        if begun.count + bytes.count > longest {
            isTooLong = true
            begun = []
        }
        if isTooLong { return }
        if begun.isEmpty { begun = Array(bytes) } else { begun += bytes }
    }

    private mutating func ended() -> InputLine {
        number += 1
        defer {
            begun = []
            isTooLong = false
            hasBegun = false
        }
        return InputLine(number: number, bytes: isTooLong ? nil : begun)
    }
}
