import Foundation

/// A line of the input, without its end.
struct InputLine {
    /// From 1.
    var number: Int
    /// Valid as long as the call lasts that gives them; `nil` if the line is longer than it may be.
    var bytes: UnsafeBufferPointer<UInt8>?
}

/// Cuts pieces of input into lines, one by one as they are asked for. They end with a line feed; the last one needs none.
///
/// Each byte is looked at once, and copied only if its line began in an earlier piece.
struct LineCutter {
    private let longest: Int
    private var piece: [UInt8] = []
    /// How much of the piece is cut.
    private var position = 0
    /// What came of a line before the piece.
    private var begun: [UInt8] = []
    private var hasBegun = false
    private var isTooLong = false
    private var hasEnded = false
    private var number = 0

    /// - Parameter longest: how many bytes of a line are kept.
    init(longest: Int) {
        self.longest = longest
    }

    /// Takes the next piece, when ``next(_:)`` has found no line in the one before.
    mutating func append(_ piece: [UInt8]) {
        self.piece = piece
        position = 0
    }

    /// Nothing follows.
    mutating func finish() {
        hasEnded = true
    }

    /// Gives the next line to `body`.
    ///
    /// - Returns: `nil` if the line's end has not come.
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
