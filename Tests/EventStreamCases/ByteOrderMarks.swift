import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6, and the Encoding standard's "UTF-8 decode".
    public static let byteOrderMarks: [EventStreamCase] = [
        .init("a mark at the start", "\u{FEFF}data: a\n\ndata: b\n\n", data: "a", "b"),
        .init("two marks, of which the second is of the name", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", data: "b"),
        .init("a mark before a later line", "data: a\n\n\u{FEFF}data: b\n\ndata: c\n\n", data: "a", "c"),
        .init("a mark after a blank line", "\n\u{FEFF}data: a\n\n"),
        .init("a mark before a blank line", "\u{FEFF}\ndata: a\n\n", data: "a"),
        .init("a mark alone", "\u{FEFF}"),
        .init("a mark in the data", "data: \u{FEFF}a\n\n", data: "\u{FEFF}a"),
        .init("one at the start, one in the data", "\u{FEFF}data: \u{FEFF}a\n\n", data: "\u{FEFF}a"),
        .init("one at the start, and data without a value", "\u{FEFF}data\n\n", data: ""),
        .init("one at the start, and two lines", "\u{FEFF}data: a\ndata: b\n\n", data: "a\nb"),
        .init("one before a comment", "\u{FEFF}:c\ndata: a\n\n", [.init(data: "a")], comments: ["c"]),
        .init(
            "one before other fields", "\u{FEFF}event: t\nid: 1\ndata: a\n\n", [.init(type: "t", data: "a", id: "1")]),
        .init("a part of a mark is none", [0xEF, 0xBB] + Array("data: a\n\ndata: b\n\n".utf8), [.init(data: "b")]),
        .init("the mark of UTF-16 is none", [0xFE, 0xFF] + Array("data: a\n\ndata: b\n\n".utf8), [.init(data: "b")]),
    ]
}
