/// Finds the users and passwords that stand in URLs, as in `https://user:password@host/`. The marks of the URL can be percent-encoded,
/// as in a query, or escaped, as in JSON. Source: RFC 3986 section 3.2.1.
///
/// A user name without a password is masked if it can be a token: a long word with a digit. Marks that rarely stand in a password end
/// the URL, because it can be one of several in a line.
enum Userinfo {
    private static let shortestToken = 16

    /// The passwords and tokens, as they are written.
    static func secrets(in text: String) -> [String] {
        guard mayHaveSecrets(text) else { return [] }
        let bytes = Array(text.utf8)
        return secrets(in: bytes).map { range in
            let password = bytes[range].firstIndex(of: UInt8(ascii: ":")).map { bytes[($0 + 1)..<range.upperBound] }
            return String(decoding: password ?? bytes[range], as: UTF8.self)
        }
    }

    private static func mayHaveSecrets(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }
    }

    /// Returns `text` with every user and password replaced by `mask`. The time is linear in the text.
    static func masked(_ text: String, by mask: String) -> String {
        guard mayHaveSecrets(text) else { return text }
        let bytes = Array(text.utf8)
        var (result, copied) = ([UInt8](), 0)
        for secret in secrets(in: bytes) {
            result += bytes[copied..<secret.lowerBound]
            result += mask.utf8
            copied = secret.upperBound
        }
        return copied == 0 ? text : String(decoding: result + bytes[copied...], as: UTF8.self)
    }

    private static func canBeToken(_ user: ArraySlice<UInt8>) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isWord = user.allSatisfy { byte in
            digits.contains(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        return user.count >= shortestToken && isWord && user.contains(where: digits.contains)
    }

    private static func secrets(in bytes: [UInt8]) -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        var authority: Authority?
        // How much of `://` stands before the position.
        var marks = 0
        var start = 0
        while start < bytes.count {
            let (byte, depth, end) = FormPairs.character(in: bytes, at: start)
            if authority?.read(byte, depth, at: start) == false {
                if let secret = authority?.secret(in: bytes) { secrets.append(secret) }
                authority = nil
            }
            switch byte {
            case UInt8(ascii: ":"): marks = 1
            case UInt8(ascii: "/") where marks == 2:
                authority = Authority(start: end, depth: depth)
                marks = 0
            case UInt8(ascii: "/") where marks == 1: marks = 2
            // JSON can escape a slash.
            case UInt8(ascii: "\\") where marks > 0: break
            default: marks = 0
            }
            start = end
        }
        if let secret = authority?.secret(in: bytes) { secrets.append(secret) }
        return secrets
    }

    /// The part of a URL that has the host, as far as it is read.
    private struct Authority {
        let start: Int
        /// How often its marks are percent-encoded. A mark that is encoded more often is a part of the user or the password.
        let depth: Int
        private var colon: Int?
        private var sign: Int?

        init(start: Int, depth: Int) {
            self.start = start
            self.depth = depth
        }

        func secret(in bytes: [UInt8]) -> Range<Int>? {
            guard let sign, sign > start else { return nil }
            let hasPassword = colon.map { $0 < sign } ?? false
            return hasPassword || Userinfo.canBeToken(bytes[start..<sign]) ? start..<sign : nil
        }

        /// Returns whether the authority goes on.
        mutating func read(_ byte: UInt8, _ depth: Int, at position: Int) -> Bool {
            if depth > self.depth { return true }
            switch byte {
            case UInt8(ascii: "@"): sign = position
            case UInt8(ascii: ":"): colon = colon ?? position
            case 0...UInt8(ascii: " "), 0x80...: return false
            default: if "/?#&\"<>\\,;'|()".utf8.contains(byte) { return false }
            }
            return true
        }
    }
}
