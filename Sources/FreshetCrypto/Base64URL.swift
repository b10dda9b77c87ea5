import FoundationEssentials

/// Base64 for URLs and tokens. It uses `-` and `_` instead of `+` and `/`, and has no padding. Source: RFC 4648 section 5.
public enum Base64URL {
    public static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// Decodes `text`; `nil` if it contains another character, such as padding.
    public static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var base64: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: base64.append(byte)
            default: return nil
            }
        }
        guard base64.count % 4 != 1 else { return nil }
        base64 += Array(repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: Data(base64)).map(Array.init)
    }
}
