import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6: "If the field name is "event"", and steps 6 and 7 of dispatching.
    public static let types: [EventStreamCase] = [
        .init("a type", "event: t\ndata: a\n\n", [.init(type: "t", data: "a")]),
        .init("without a space", "event:t\ndata:a\n\n", [.init(type: "t", data: "a")]),
        .init("a space is left of two", "event:  t\ndata: a\n\n", [.init(type: " t", data: "a")]),
        .init("none", "data: a\n\n", [.init(type: "message", data: "a")]),
        .init("the usual one by name", "event: message\ndata: a\n\n", [.init(type: "message", data: "a")]),
        .init("an empty one", "event:\ndata: a\n\nevent: \ndata: b\n\nevent\ndata: c\n\n", data: "a", "b", "c"),
        .init("it is forgotten", "event: t\ndata: a\n\ndata: b\n\n", [.init(type: "t", data: "a"), .init(data: "b")]),
        .init("also where there was no data", "event: t\n\ndata: b\n\n", data: "b"),
        .init("the last one counts", "event: t\nevent: u\ndata: a\n\n", [.init(type: "u", data: "a")]),
        .init("an empty last one too", "event: t\nevent:\ndata: a\n\n", data: "a"),
        .init("one with spaces and colons", "event: a b: c\ndata: a\n\n", [.init(type: "a b: c", data: "a")]),
        .init(
            "those of objects in other languages", "event: constructor\ndata: a\n\nevent: __proto__\ndata: b\n\n",
            [.init(type: "constructor", data: "a"), .init(type: "__proto__", data: "b")]),
        .init(
            "in upper case", "event: T\ndata: a\n\nevent: t\ndata: b\n\n",
            [.init(type: "T", data: "a"), .init(type: "t", data: "b")]),
        .init("one of no ASCII, and with a null", "event: é\0…\ndata: a\n\n", [.init(type: "é\0…", data: "a")]),
    ]
}
