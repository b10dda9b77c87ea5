import FreshetEvents

extension EventStreamCase {
    private static func bytes(_ lead: String, _ bytes: [UInt8], _ end: String = "\n\n") -> [UInt8] {
        Array(lead.utf8) + bytes + Array(end.utf8)
    }

    /// Source: the WHATWG HTML standard, section 9.2.6: "Streams must be decoded using the UTF-8 decode algorithm."
    public static let texts: [EventStreamCase] = [
        .init("two, three and four bytes", "data: é€豆腐\u{1F600}\n\n", data: "é€豆腐\u{1F600}"),
        .init("combining characters stay apart", "data: e\u{301}\ndata:\u{301}\n\n", data: "e\u{301}\n\u{301}"),
        .init("a null", "data:\0\n\n", data: "\0"),
        .init("other control characters", "data:\u{1}\u{7F}\u{1B}[0m\n\n", data: "\u{1}\u{7F}\u{1B}[0m"),
        .init("the bytes of another charset", bytes("data: caf", [0xE9]), [.init(data: "caf\u{FFFD}")]),
        .init("a byte that begins nothing", bytes("data: ", [0x80, 0x41]), [.init(data: "\u{FFFD}A")]),
        .init("a sequence cut by the end of its line", bytes("data: ", [0xE2, 0x82]), [.init(data: "\u{FFFD}")]),
        .init("one cut by a letter", bytes("data: ", [0xF0, 0x9F, 0x98, 0x41]), [.init(data: "\u{FFFD}A")]),
        .init("one that is too long", bytes("data: ", [0xC0, 0xAF]), [.init(data: "\u{FFFD}\u{FFFD}")]),
        .init("a surrogate", bytes("data: ", [0xED, 0xA0, 0x80]), [.init(data: "\u{FFFD}\u{FFFD}\u{FFFD}")]),
        .init(
            "beyond the last", bytes("data: ", [0xF4, 0x90, 0x80, 0x80]),
            [.init(data: "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")]),
        .init(
            "in a type and in an ID", bytes("event: ", [0xFF], "\nid: ") + bytes("", [0xFE], "\ndata: a\n\n"),
            [.init(type: "\u{FFFD}", data: "a", id: "\u{FFFD}")]),
        .init("in a name", bytes("dat", [0xE1], ": a\ndata: b\n\n"), [.init(data: "b")]),
        .init(
            "an end of line is no part of a sequence",
            bytes("data: ", [0xE2, 0x0A], "data: ") + [0xF0, 0x0D, 0x0A, 0x0A],
            [.init(data: "\u{FFFD}\n\u{FFFD}")]),
    ]
}
