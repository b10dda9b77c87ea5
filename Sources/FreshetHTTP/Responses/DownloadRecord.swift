import HTTPTypes

/// The data that a resumed download needs in order to continue the same file and no other.
struct DownloadRecord: Hashable, Sendable {
    /// Distinguishes a representation from all others.
    enum Validator: Hashable, Sendable {
        case tag(String)
        case date(String)

        /// The value of `If-Range`.
        var field: String {
            switch self {
            case .tag(let value), .date(let value): value
            }
        }
    }

    /// A hash of the URL, which may hold a secret.
    var address: UInt64
    var validator: Validator
    /// The length of the whole, if it is known.
    var total: Int?

    init(address: UInt64, validator: Validator, total: Int?) {
        self.address = address
        self.validator = validator
        self.total = total
    }

    /// Reads the head of a whole response; `nil` if a range can't be requested safely.
    ///
    /// A weak tag is not enough. A date is not enough if there is a tag, or if the file had only just changed when it was sent.
    /// Source: RFC 9110 sections 13.1.5 and 8.8.2.2.
    init?(_ head: HTTPResponse, at url: RequestURL) {
        guard head.headerFields[.acceptRanges]?.lowercased() != "none" else { return nil }
        if let tag = head.headerFields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            validator = .tag(tag)
        } else if let text = head.headerFields[.lastModified], let changed = HTTPDate.secondsSince1970(text),
            let sent = head.headerFields[.date].flatMap({ HTTPDate.secondsSince1970($0) }), sent > changed
        {
            validator = .date(text)
        } else {
            return nil
        }
        address = Self.hash(of: url)
        total = head.headerFields.contentLength
    }

    /// Whether a range with this head belongs to the same whole, as far as the head says.
    func agrees(with head: HTTPResponse) -> Bool {
        switch validator {
        case .tag(let tag): head.headerFields[.eTag].map { $0 == tag } ?? true
        case .date(let date): head.headerFields[.lastModified].map { $0 == date } ?? true
        }
    }

    /// Source: RFC 9110 section 8.8.3.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }

    /// FNV-1a, which has the same result in every process.
    static func hash(of url: RequestURL) -> UInt64 {
        url.absoluteString.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension DownloadRecord {
    private static let family = "freshet partial file "
    private static let title = family + "1"

    /// Whether `text` begins as a record does, also as one of another version or one that is cut off.
    static func isBegun(in text: String) -> Bool { text.hasPrefix(family) }

    /// The record as it is kept beside the part.
    var text: String {
        var lines = [Self.title, "address \(String(address, radix: 16))"]
        switch validator {
        case .tag(let tag): lines.append("tag \(tag)")
        case .date(let date): lines.append("date \(date)")
        }
        if let total { lines.append("total \(total)") }
        // The last line proves that the text is complete.
        return (lines + ["end", ""]).joined(separator: "\n")
    }

    /// - Returns: `nil` if `text` is not a complete result of ``text``.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5 || lines.count == 6, lines[0] == Self.title, lines.suffix(2) == ["end", ""],
            let address = Self.value("address", of: lines[1]).flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        self.address = address
        if let tag = Self.value("tag", of: lines[2]), Self.isStrong(tag) {
            validator = .tag(tag)
        } else if let date = Self.value("date", of: lines[2]), HTTPDate.secondsSince1970(date) != nil {
            validator = .date(date)
        } else {
            return nil
        }
        guard lines.count == 6 else { return }
        guard let total = Self.value("total", of: lines[3]).flatMap({ Int($0) }), total >= 0 else { return nil }
        self.total = total
    }

    private static func value(_ name: String, of line: Substring) -> String? {
        line.hasPrefix(name + " ") ? String(line.dropFirst(name.count + 1)) : nil
    }
}
