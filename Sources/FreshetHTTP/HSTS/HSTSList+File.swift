// The file format of curl: `host "YYYYMMDD HH:MM:SS"`, in GMT, with a dot before the host for its subdomains too, `"unlimited"`
// for no end, and comments behind `#`. Source: curl's documents, HSTS.
extension HSTSList {
    /// Reads a file. Lines that make no sense are ignored.
    init(file text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count == 3, let end = Self.moment(parts[1]) else { continue }
            var host = parts[0].filter { $0 != " " && $0 != "\t" }
            let includesSubdomains = host.hasPrefix(".")
            if includesSubdomains { host.removeFirst() }
            // If a host has two lines, the later end counts.
            if let known = entries[host.lowercased()], known.end > end { continue }
            add(Entry(includesSubdomains: includesSubdomains, end: end), for: String(host))
        }
        removeOldest()
    }

    /// The file without the expired entries.
    func file(at now: Double) -> String {
        let lines = entries.filter { $0.value.end > now }.sorted { $0.key < $1.key }.map { host, entry in
            "\(entry.includesSubdomains ? "." : "")\(host) \"\(Self.text(entry.end))\""
        }
        return (["# Your HSTS cache. https://curl.se/docs/hsts.html"] + lines).joined(separator: "\n") + "\n"
    }

    private static func moment(_ text: Substring) -> Double? {
        if text == "unlimited" { return .infinity }
        guard let match = text.wholeMatch(of: #/(\d{4})(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)/#) else { return nil }
        let numbers = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int($0) }
        guard numbers.count == 6 else { return nil }
        return CalendarDay.secondsSince1970(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5]
        ).map(Double.init)
    }

    private static func text(_ moment: Double) -> String {
        guard moment < 253_402_300_800 else { return "unlimited" }
        let (year, month, day) = CalendarDay.date(ofDay: Int(moment) / 86_400)
        let second = Int(moment) % 86_400
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(year, 4) + digits(month, 2) + digits(day, 2)
            + " \(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    }
}
