import Foundation

/// A line of the input, without its line feed.
struct InputLine {
    /// The number of the line, from 1.
    var number: Int
    /// The bytes of the line, valid during the call that passes them; `nil` if the line is too long.
    var bytes: UnsafeBufferPointer<UInt8>?
}

/// Cuts pieces of input into lines, one at each call of ``next(_:)``. A line ends with a line feed; the last one needs none.
///
/// Each byte is read once, and copied only if its line spans two pieces.
struct LineCutter {
    private let longest: Int
    private var piece: [UInt8] = []
    /// The offset in the piece at which the next line begins.
    private var position = 0
    /// The bytes of the current line that came in earlier pieces.
    private var begun: [UInt8] = []
    private var hasBegun = false
    private var isTooLong = false
    private var hasEnded = false
    private var number = 0

    /// - Parameter longest: the longest line in bytes. The bytes of a longer line are dropped.
    init(longest: Int) {
        self.longest = longest
    }

    /// Adds the next piece. The caller does so when ``next(_:)`` has found no line in the piece before.
    mutating func append(_ piece: [UInt8]) {
        self.piece = piece
        position = 0
    }

    /// Marks the end of the input.
    mutating func finish() {
        hasEnded = true
    }

    /// Passes the next line to `body`.
    ///
    /// - Returns: the result of `body`; `nil` if the end of the line has not arrived yet.
    mutating func next<Result>(_ body: (InputLine) -> Result) -> Result? {
        guard position < piece.count else { return hasEnded && hasBegun ? begunLine(body) : nil }
        let start = position
        let end = piece.withUnsafeBytes { bytes in
            memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start).map { bytes.baseAddress!.distance(to: $0) }
        }
        position = end.map { $0 + 1 } ?? piece.count
        guard let end else {
            append(start..<piece.count)
            piece = []
            position = 0
            return hasEnded ? begunLine(body) : nil
        }
        if hasBegun || end - start > longest {
            append(start..<end)
            return begunLine(body)
        }
        number += 1
        return piece.withUnsafeBufferPointer {
            body(InputLine(number: number, bytes: UnsafeBufferPointer(rebasing: $0[start..<end])))
        }
    }

    private mutating func append(_ range: Range<Int>) {
        hasBegun = true
        if begun.count + range.count > longest {
            isTooLong = true
            begun = []
        }
        if !isTooLong { begun += piece[range] }
    }

    private mutating func begunLine<Result>(_ body: (InputLine) -> Result) -> Result {
        number += 1
        defer {
            begun = []
            hasBegun = false
            isTooLong = false
        }
        return begun.withUnsafeBufferPointer { body(InputLine(number: number, bytes: isTooLong ? nil : $0)) }
    }
}
