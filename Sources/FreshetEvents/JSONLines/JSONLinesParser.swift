#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Cuts the bytes of NDJSON, cut anywhere, into the texts of its values. No I/O, linear in the bytes, bounded in memory.
///
/// Lines end with LF; a CR before it is white space of JSON, as the tabs and spaces are that alone make no value: such lines
/// are counted and skipped. One byte order mark at the very start is skipped too. Source: ndjson-spec 1.0, sections 3.1 and
/// 3.2; RFC 8259, section 2.
public struct JSONLinesParser: Sendable {
    /// A line with something on it.
    public struct Line: Sendable {
        /// From 1; those that were skipped are counted.
        public var number: Int
        /// Without its end; `nil` if there were more than the limit allows.
        public var text: [UInt8]?
    }

    private let limit: Int
    private var number = 1
    /// What of a line has come in earlier pieces, unless that is too much.
    private var begun = ByteAccumulator()
    private var isTooLong = false

    /// A parser at the beginning of its input.
    ///
    /// - Parameter limit: of a line, in bytes. What is longer is thrown away as it comes, and the next line is read.
    public init(limit: Int = 64 * 1024 * 1024) {
        self.limit = limit
    }

    /// Takes the next bytes and hands each line that they complete to `emit`.
    public mutating func parse(_ bytes: [UInt8], _ emit: (Line) -> Void) {
        var start = 0
        while start < bytes.count {
            guard let end = bytes.firstLineFeed(from: start) else { return store(bytes, start..<bytes.count) }
            if begun.isEmpty, !isTooLong, end - start <= limit {
                emitLine(bytes[start..<end], emit)
            } else {
                store(bytes, start..<end)
                endBegun(emit)
            }
            number += 1
            start = end + 1
        }
    }

    /// Takes the end of the bytes, before which the last line need have none.
    public mutating func finish(_ emit: (Line) -> Void) {
        endBegun(emit)
    }

    private mutating func store(_ piece: [UInt8], _ range: Range<Int>) {
        if isTooLong { return }
        isTooLong = begun.count + range.count > limit
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
        let text = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
        // Most begin with a brace.
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
