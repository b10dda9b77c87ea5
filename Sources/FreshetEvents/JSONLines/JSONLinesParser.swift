import Glibc

/// Splits NDJSON into the texts of its values, in pieces of any size. It does no I/O, takes linear time, and its memory is
/// bounded.
///
/// A line ends with LF, or with CR and LF. Lines that contain only white space are counted and skipped. A
/// byte order mark at the very start is skipped too. Source: ndjson-spec 1.0, sections 3.1 and 3.2; RFC 8259, section 2.
public struct JSONLinesParser: Sendable {
    /// A line that is not blank.
    public struct Line: Sendable {
        /// The number of the line, from 1. Skipped lines count too.
        public var number: Int
        /// The text without the line end; `nil` if it exceeds the limit.
        public var text: [UInt8]?
    }

    private let limit: Int
    private var number = 1
    /// The beginning of a line from earlier pieces; empty if it exceeds the limit.
    private var begun = ByteAccumulator()
    private var isTooLong = false

    /// Creates a parser at the beginning of its input.
    ///
    /// - Parameter limit: the longest line, in bytes. A longer line is dropped while it arrives, and the next line is parsed.
    public init(limit: Int = 64 * 1024 * 1024) {
        self.limit = limit
    }

    /// Parses the next bytes, and passes each complete line to `emit`.
    public mutating func parse(_ bytes: [UInt8], _ emit: (Line) -> Void) {
        var start = 0
        while start < bytes.count {
            guard let end = bytes.firstLineFeed(from: start) else { return store(bytes, start..<bytes.count) }
            if begun.isEmpty, !isTooLong {
                emitLine(bytes[start..<end], emit)
            } else {
                store(bytes, start..<end)
                endBegun(emit)
            }
            number += 1
            start = end + 1
        }
    }

    /// Parses the rest at the end of the input. The last line may have no line end.
    public mutating func finish(_ emit: (Line) -> Void) {
        endBegun(emit)
    }

    private mutating func store(_ piece: [UInt8], _ range: Range<Int>) {
        if isTooLong { return }
        // The last byte may be the CR of a line end.
        isTooLong = begun.count + range.count - 1 > limit
        if isTooLong {
            begun.removeAll()
        } else {
            begun.append(ByteAccumulator.Block(bytes: piece, range: range))
        }
    }

    private mutating func endBegun(_ emit: (Line) -> Void) {
        if isTooLong {
            isTooLong = false
            emit(Line(number: number, text: nil))
        } else if !begun.isEmpty {
            emitLine(begun.removeBytes()[...], emit)
        }
    }

    private func emitLine(_ line: ArraySlice<UInt8>, _ emit: (Line) -> Void) {
        let line = line.last == .carriageReturn ? line.dropLast() : line
        if line.count > limit { return emit(Line(number: number, text: nil)) }
        let text = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
        // Most lines begin with a brace, so this ends at the first byte.
        if text.allSatisfy({ $0 == .space || $0 == .carriageReturn || $0 == .tab }) { return }
        emit(Line(number: number, text: Array(text)))
    }
}

extension [UInt8] {
    fileprivate func firstLineFeed(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
                return nil
            }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }
}
