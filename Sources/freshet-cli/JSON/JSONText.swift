/// Finds the few bytes of a text that JSON escapes. It checks eight bytes at a time, because nearly all bytes need no escape.
enum JSONText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The offset of the first control character, quotation mark or backslash; the end if there is none.
    static func firstToEscape(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var place = start
        while place < text.count {
            if place + 8 <= text.count, !hasOneToEscape(word(text, place)) {
                place += 8
                continue
            }
            let end = min(place + 8, text.count)
            while place < end {
                let byte = text[place]
                if byte < 0x20 || byte == 0x22 || byte == 0x5C { return place }
                place += 1
            }
        }
        return place
    }

    private static func hasOneToEscape(_ word: UInt64) -> Bool {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // Subtraction sets the high bit of each byte that is smaller than its subtrahend; `~` leaves out the bytes that had it
        // set before.
        let marks =
            ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return marks & highBits != 0
    }

    private static func word(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> UInt64 {
        UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
    }

    static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        var seen: UInt64 = 0
        while place + 8 <= text.count {
            seen |= word(text, place)
            place += 8
        }
        var isASCII = seen & highBits == 0
        while place < text.count {
            if text[place] > 0x7F { isASCII = false }
            place += 1
        }
        return isASCII
    }

    static func isUTF8(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer(isASCII) || String(validating: bytes, as: UTF8.self) != nil
    }
}
