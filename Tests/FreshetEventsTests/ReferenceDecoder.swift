/// Implements "UTF-8 decode" in the steps of the standard, a byte at a time. Source: the WHATWG Encoding standard, sections 6
/// and 8.1.1.
enum ReferenceDecoder {
    static func decode(_ bytes: [UInt8]) -> [Unicode.Scalar] {
        var text: [Unicode.Scalar] = []
        var (codePoint, seen, needed): (UInt32, Int, Int) = (0, 0, 0)
        var (lower, upper): (UInt8, UInt8) = (0x80, 0xBF)
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if needed == 0 {
                switch byte {
                case 0x00...0x7F: text.append(Unicode.Scalar(byte))
                case 0xC2...0xDF: (needed, codePoint) = (1, UInt32(byte) & 0x1F)
                case 0xE0...0xEF:
                    if byte == 0xE0 { lower = 0xA0 }
                    if byte == 0xED { upper = 0x9F }
                    (needed, codePoint) = (2, UInt32(byte) & 0xF)
                case 0xF0...0xF4:
                    if byte == 0xF0 { lower = 0x90 }
                    if byte == 0xF4 { upper = 0x8F }
                    (needed, codePoint) = (3, UInt32(byte) & 0x7)
                default: text.append("\u{FFFD}")
                }
                continue
            }
            guard (lower...upper).contains(byte) else {
                // "Restore byte to ioQueue, and return error."
                (codePoint, seen, needed, lower, upper) = (0, 0, 0, 0x80, 0xBF)
                index -= 1
                text.append("\u{FFFD}")
                continue
            }
            (lower, upper) = (0x80, 0xBF)
            codePoint = codePoint << 6 | UInt32(byte) & 0x3F
            seen += 1
            if seen == needed {
                text.append(Unicode.Scalar(codePoint)!)
                (codePoint, seen, needed) = (0, 0, 0)
            }
        }
        return needed > 0 ? text + ["\u{FFFD}"] : text
    }
}
