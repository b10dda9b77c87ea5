import HTTPTypes

/// What has to be known of a file that is partly there, to go on with it and with nothing else.
struct DownloadRecord: Hashable, Sendable {
    /// What tells a representation from every other one.
    enum Validator: Hashable, Sendable {
        case tag(String)
        case date(String)

        /// As `If-Range` has it.
        var field: String {
            switch self {
            case .tag(let value), .date(let value): value
            }
        }
    }

    /// Stands for the address, which may hold a secret.
    var address: UInt64
    var validator: Validator
    /// The length of the whole, if it is known.
    var total: Int?

    init(address: UInt64, validator: Validator, total: Int?) {
        self.address = address
        self.validator = validator
        self.total = total
    }

    /// What the head of a whole answer says; `nil` if another part can't be asked for safely.
    ///
    /// Source: RFC 9110 sections 13.1.5 and 8.8.2.2: a weak tag will not do, nor will a date if there is a tag, or if the
    /// file had only just been changed when it was sent.
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
        address = Self.sign(of: url)
        total = head.headerFields[.contentLength].flatMap { Int($0) }
    }

    /// Whether a part with this head belongs to the same whole, as far as it says so.
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

    /// FNV-1a, which is the same in every process.
    static func sign(of url: RequestURL) -> UInt64 {
        url.absoluteString.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension DownloadRecord {
    private static let title = "freshet partial file 1"

    /// As it is kept beside the file.
    var text: String {
        var lines = [Self.title, "address \(String(address, radix: 16))"]
        switch validator {
        case .tag(let tag): lines.append("tag \(tag)")
        case .date(let date): lines.append("date \(date)")
        }
        if let total { lines.append("total \(total)") }
        // The last line says that all of it is there.
        return (lines + ["end", ""]).joined(separator: "\n")
    }

    /// - Returns: `nil` for what has not been written by ``text``, or not all of it.
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
