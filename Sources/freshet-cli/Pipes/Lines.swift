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
        return .deferred {
            let cutter = LineCutter(longest: longest)
            let last = Observable.deferred { Observable.just(cutter.finish()) }
            return Observable.concat(pieces.map(cutter.take), last).concatMap { Observable.from($0) }
        }
    }
}

/// A splitter for the one subscription to a stream.
// Unchecked: events are serial.
private final class LineCutter: @unchecked Sendable {
    private var splitter: LineSplitter

    init(longest: Int) {
        splitter = LineSplitter(longest: longest)
    }

    @Sendable
    func take(_ bytes: [UInt8]) -> [InputLine] { splitter.take(bytes) }

    @Sendable
    func finish() -> [InputLine] { splitter.finish() }
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
