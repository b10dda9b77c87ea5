/// The parts of a URL text that is already in its canonical form, as nearly all programs write theirs. This is a fast path: a
/// program that sends a hundred thousand requests per second parses as many URLs.
struct CanonicalURL {
    var isSecure: Bool
    var host: String
    var port: Int?
    var target: String

    /// - Returns: `nil` if the full parser has to read the text, because the text is invalid or has to be changed.
    init?(_ text: borrowing String) {
        let parts: CanonicalURL?? = text.utf8.withContiguousStorageIfAvailable { Self(bytes: $0) }
        guard let parts, let parts else { return nil }
        self = parts
    }

    private init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard let (isSecure, start) = Self.scheme(bytes) else { return nil }
        var end = start
        while end < bytes.count, Self.isPlainInHost(bytes[end]) { end += 1 }
        guard end > start, end - start <= RequestURL.longestHost else { return nil }
        let hostEnd = end
        var port: Int?
        if end < bytes.count, bytes[end] == UInt8(ascii: ":") {
            end += 1
            var number = 0
            while end < bytes.count, (48...57).contains(bytes[end]), end - hostEnd <= 5 {
                number = number * 10 + Int(bytes[end] - 48)
                end += 1
            }
            guard (1...65535).contains(number) else { return nil }
            port = number
        }
        guard end == bytes.count || bytes[end] == UInt8(ascii: "/"), Self.isPlain(bytes[end...]) else { return nil }
        self.isSecure = isSecure
        self.port = port
        host = String(decoding: bytes[start..<hostEnd], as: UTF8.self)
        target = end == bytes.count ? "/" : String(decoding: bytes[end...], as: UTF8.self)
    }

    /// Whether the scheme is https, and where the host begins.
    private static func scheme(_ bytes: UnsafeBufferPointer<UInt8>) -> (isSecure: Bool, start: Int)? {
        for (name, isSecure) in [("http://", false), ("https://", true)] as [(StaticString, Bool)]
        where bytes.count > name.utf8CodeUnitCount {
            let isSo = name.withUTF8Buffer { name in
                for place in 0..<name.count where bytes[place] != name[place] { return false }
                return true
            }
            if isSo { return (isSecure, name.utf8CodeUnitCount) }
        }
        return nil
    }

    private static func isPlainInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Whether the target has nothing to encode, no fragment, and nothing that could be a dot segment.
    private static func isPlain(_ target: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var before: UInt8 = 0
        for byte in target {
            switch byte {
            case 0x00...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"):
                return false
            case UInt8(ascii: "."): if before == UInt8(ascii: "/") { return false }
            default: break
            }
            before = byte
        }
        return true
    }
}
