import Foundation
import Freshet

/// A line of the input, without its end.
struct InputLine: Sendable {
    /// From 1.
    var number: Int
    /// `nil` if it is longer than it may be.
    var bytes: [UInt8]?
}

/// The lines of a descriptor; see ``InputReader``.
func lines(of descriptor: Int32, longest: Int) -> Observable<InputLine> {
    InputReader.stream {
        var splitter = LineSplitter(longest: longest)
        return {
            while true {
                if let line = splitter.next() { return line }
                if splitter.hasEnded { return nil }
                splitter.append(try read(upTo: 64 * 1024, from: descriptor))
            }
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
