import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6: "If the field name is "data"", and the dispatching.
    public static let data: [EventStreamCase] = [
        .init("a value", "data: a\n\n", data: "a"),
        .init("no value", "data:\n\n", data: ""),
        .init("no colon", "data\n\n", data: ""),
        .init("no colon twice", "data\ndata\n\n", data: "\n"),
        .init("without, twice without, and with", "data:\n\ndata\ndata\n\ndata:c\n\n", data: "", "\n", "c"),
        .init("no space after the colon", "data:a\n\n", data: "a"),
        .init("a space is left of two", "data:  a\n\n", data: " a"),
        .init("a tab is none", "data:\ta\rdata: \tb\n\n", data: "\ta\n\tb"),
        .init("a space alone", "data: \n\n", data: ""),
        .init("two spaces alone", "data:  \n\n", data: " "),
        .init("spaces at the end are kept", "data: a  \n\n", data: "a  "),
        .init("colons in the value", "data: a: b:c:\n\n", data: "a: b:c:"),
        .init("a colon at once", "data::a\n\n", data: ":a"),
        .init(
            "many events at once", (0..<100).map { "data: \($0)\n\n" }.joined(), (0..<100).map { .init(data: "\($0)") }),
        .init(
            "many lines", String(repeating: "data: a\n", count: 1000) + "\n",
            data: Array(repeating: "a", count: 1000).joined(separator: "\n")),
        .init("what is JSON", "data: {\n data: 1}\ndata: }\n\n", data: "{\n}"),
        .init("the pieces of an event that is not complete", "data: a\n\nid: 5\nevent: x\ndata: b\n", data: "a"),
    ]
}
