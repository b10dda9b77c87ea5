import FreshetEvents

extension EventStreamCase {
    private static let long = String(repeating: "x", count: 5000)

    /// Source: the WHATWG HTML standard, section 9.2.6: "If the line starts with a U+003A COLON character (:)".
    public static let comments: [EventStreamCase] = [
        .init("a comment alone", ":a\n", [], comments: ["a"]),
        .init("two in a row", ":a\n:b\n", [], comments: ["a", "b"]),
        .init("one before an event", ":a\ndata: b\n\n", [.init(data: "b")], comments: ["a"]),
        .init("one after an event", "data: a\n\n:b\n", [.init(data: "a")], comments: ["b"]),
        .init("one within an event", "data: a\n: data: b\ndata: c\n\n", [.init(data: "a\nc")], comments: ["data: b"]),
        .init("empty ones", ":\n:\n\n:\n", [], comments: ["", "", ""]),
        .init("one with a colon", "::\n", [], comments: [":"]),
        .init("one that is not at its end", "data: a\n\n:b", [.init(data: "a")]),
        .init(
            "short, long and with a null, by every end of line",
            "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:no\r:\(long)\ndata:4\n\n",
            [.init(data: "1\n2\n3\n4")], comments: ["\0", "", long, "data:no", long]),
    ]
}
