import FreshetEvents

extension EventStreamCase {
    /// Source: the WHATWG HTML standard, section 9.2.6: "The field names … must be compared literally, with no case folding
    /// performed", and "Otherwise: the field is ignored."
    public static let fieldNames: [EventStreamCase] = [
        .init("an unknown field", "data: a\ncolour: blue\n\n", data: "a"),
        .init("an unknown one without a colon", "data: a\nsomething\n\n", data: "a"),
        .init("upper case", "Data: a\nDATA: b\ndatA\ndata: c\n\n", data: "c"),
        .init("a space before the name", " data: a\n\tdata: b\ndata: c\n\n", data: "c"),
        .init("a space after the name", "data : a\ndata\t: b\ndata: c\n\n", data: "c"),
        .init("a null in the name", "data\0: a\n\0data: b\nda\0ta: c\ndata: d\n\n", data: "d"),
        .init("longer and shorter names", "dat: a\ndatas: b\ndata-: c\ndata_5\nda-ta: d\nd\ndata: e\n\n", data: "e"),
        .init(
            "names that begin as others", "ids: 1\nevents: x\nretryx: 1\ni: 2\neven: x\nretr: 1\ndata: a\n\n", data: "a"
        ),
        .init("letters that look the same", "d\u{430}ta: a\n\u{FF44}ata: b\ndata: c\n\n", data: "c"),
        .init(
            "a bit of everything",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            data: "\0\n 2\n1\n3\n\n4"),
        .init("fields in the other order", "data: a\nid: 1\nevent: t\n\n", [.init(type: "t", data: "a", id: "1")]),
        .init("an unknown field between", "event: t\ncolour: x\ndata: a\n\n", [.init(type: "t", data: "a")]),
        .init("a line that is a value", "data: a\nb\n\n", data: "a"),
    ]
}
