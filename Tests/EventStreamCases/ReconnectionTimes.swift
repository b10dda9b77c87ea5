import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6: "If the field name is "retry"".
    public static let reconnectionTimes: [EventStreamCase] = [
        .init("a time", "retry: 3\n\n", [], reconnectionTime: 3),
        .init("without a blank line", "retry: 3\n", [], reconnectionTime: 3),
        .init("without the end of its line", "retry: 3", []),
        .init("within an event", "data: a\nretry: 3\n\n", [.init(data: "a")], reconnectionTime: 3),
        .init("nothing", "retry: 0\n\n", [], reconnectionTime: 0),
        .init("zeros before it", "retry: 0003\n\n", [], reconnectionTime: 3),
        .init("the last counts", "retry: 50\nretry: 3\n\n", [], reconnectionTime: 3),
        .init(
            "what is none leaves the one before", "retry: 3\nretry: 1000x\ndata: a\n\n", [.init(data: "a")],
            reconnectionTime: 3),
        .init("none by a name alone", "retry: 3\nretry\nretry:\n\n", [], reconnectionTime: 3),
        .init(
            "a sign, a point, a space, an exponent",
            "retry: +5\nretry: -5\nretry: 5.0\nretry:  5\nretry: 5 \nretry: 5e1\n\n", []),
        .init("digits of other scripts", "retry: \u{665}\nretry: \u{FF15}\n\n", []),
        .init("in base sixteen", "retry: 0x10\nretry: A\n\n", []),
        .init("in upper case", "Retry: 5\nRETRY: 5\n\n", []),
    ]
}
