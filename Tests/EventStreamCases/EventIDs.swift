import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6: "If the field name is "id"", and step 1 of dispatching.
    public static let ids: [EventStreamCase] = [
        .init("an ID", "id: 1\ndata: a\n\n", [.init(data: "a", id: "1")]),
        .init("it persists", "id: 1\ndata: a\n\ndata: b\n\n", [.init(data: "a", id: "1"), .init(data: "b", id: "1")]),
        .init(
            "it changes and persists", "id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n",
            [.init(data: "a", id: "1"), .init(data: "b", id: "2"), .init(data: "c", id: "2")]),
        .init(
            "an empty one ends it", "id: 1\ndata: a\n\nid:\ndata: b\n\ndata: c\n\n",
            [.init(data: "a", id: "1"), .init(data: "b"), .init(data: "c")]),
        .init(
            "so does one without a colon", "id: 1\ndata: a\n\nid\ndata: b\n\n",
            [.init(data: "a", id: "1"), .init(data: "b")]),
        .init("one with a null is ignored", "id: a\0b\ndata: a\n\n", data: "a"),
        .init("nulls alone are, too", "id: \0\0\ndata: a\n\n", data: "a"),
        .init("the one before stays then", "id: 1\nid: 2\0\ndata: a\n\n", [.init(data: "a", id: "1")]),
        .init("without data it counts all the same", "data: a\n\nid: 7\n\n", [.init(data: "a")], lastEventID: "7"),
        .init("and is that of the next", "id: 7\n\ndata: a\n\n", [.init(data: "a", id: "7")]),
        .init("not before a blank line", "id: 1\ndata: a\n\nid: 2\ndata: b\n", [.init(data: "a", id: "1")]),
        .init("also where the stream ends in it", "data: a\n\nid: 2", data: "a"),
        .init("of no ASCII", "id: …é\u{1F600}\ndata: a\n\n", [.init(data: "a", id: "…é\u{1F600}")]),
        .init("with spaces within", "id: a b\ndata: a\n\n", [.init(data: "a", id: "a b")]),
        .init(
            "a long one", "id: \(String(repeating: "7", count: 4000))\ndata: a\n\n",
            [.init(data: "a", id: String(repeating: "7", count: 4000))]),
        .init(
            "no number", "id: -1.5e3\ndata: a\n\nid: 0\ndata: b\n\n",
            [.init(data: "a", id: "-1.5e3"), .init(data: "b", id: "0")]),
        .init("in upper case it is none", "ID: 1\nId: 2\ndata: a\n\n", data: "a"),
    ]
}
