extension RequestBody {
    /// Names and values as a form is sent: `name=value&…`. The content type, `application/x-www-form-urlencoded`, is the
    /// request's to say. Source: RFC 6749 appendix B, the URL standard's section 5.
    public static func form(_ fields: [(name: String, value: String)]) -> RequestBody {
        .text(fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&"))
    }

    /// One name or value of a form: letters, digits and `-._*` as they are, a space as `+`, everything else of its UTF-8
    /// percent-encoded.
    public static func formEncoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                encoded.append(byte)
            case UInt8(ascii: " "):
                encoded.append(UInt8(ascii: "+"))
            default:
                encoded.appendPercentEncoded(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
