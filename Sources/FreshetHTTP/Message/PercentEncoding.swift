/// Writes bytes as `%` and two digits. All percent-encoding of this module happens here. Source: RFC 3986 section 2.1.
enum PercentEncoding {
    /// Percent-encodes the UTF-8 of `text`, except letters, digits and `others`.
    static func encoded(_ text: String, keeping others: StaticString) -> String {
        let kept = others.withUTF8Buffer { Array($0) }
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(byte)
            default:
                if kept.contains(byte) { result.append(byte) } else { append(byte, to: &result) }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        bytes += [UInt8(ascii: "%"), digits.utf8Start[Int(byte >> 4)], digits.utf8Start[Int(byte & 15)]]
    }
}
