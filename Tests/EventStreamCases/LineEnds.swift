import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.5: `end-of-line`, and 9.2.6: the ways in which a line can end.
    public static let lineEnds: [EventStreamCase] =
        ["\n", "\r", "\r\n"].flatMap { end -> [EventStreamCase] in
            let name = end.debugDescription
            func stream(_ lines: String...) -> String { lines.map { $0 + end }.joined() }
            return [
                .init("one line of data by \(name)", stream("data: a", ""), data: "a"),
                .init("two lines of data by \(name)", stream("data: a", "data: b", ""), data: "a\nb"),
                .init(
                    "one line, then two, by \(name)", stream("data: a", "", "data: b", "data: c", ""), data: "a", "b\nc"
                ),
                .init("an empty first line of data by \(name)", stream("data:", "data: b", ""), data: "\nb"),
                .init(
                    "an empty line of data amidst by \(name)", stream("data: a", "data:", "data: c", ""), data: "a\n\nc"
                ),
                .init("an empty last line of data by \(name)", stream("data: a", "data", ""), data: "a\n"),
                .init("a blank line too many by \(name)", stream("data: a", "", "", "data: b", ""), data: "a", "b"),
                .init(
                    "many blank lines by \(name)", stream("", "", "data: a", "", "", "", "data: b", ""), data: "a", "b"),
                .init("no blank line at the end by \(name)", stream("data: a", "", "data: b"), data: "a"),
            ]
        } + [
            .init("all the ends in one event", "data: a\rdata: b\ndata: c\r\n\r\n", data: "a\nb\nc"),
            .init("a blank line by each end", "data: a\n\rdata: b\r\n\ndata: c\r\r\n", data: "a", "b", "c"),
            .init("CR and LF by themselves are two ends, LF and CR too", "data: a\n\r\ndata: b\r\r", data: "a", "b"),
            .init("CRLF once is no blank line", "data: a\r\ndata: b\r\n\r\n", data: "a\nb"),
            .init("no end of the last line", "data: a\n\ndata: b", data: "a"),
            .init("a last CR ends its line", "data: a\r\r", data: "a"),
            .init(
                "other separators end no line", "data: a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f\n\n",
                data: "a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f"),
            .init("nothing", ""),
            .init("blank lines alone", "\n\r\n\r\r\n\n"),
        ]
}
