import FreshetCore
import FreshetTesting
import XCTest

final class MarbleTests: XCTestCase {
    func testALineConvertsToAndFromRecordings() {
        let events: [Recorded<Event<String>>] = [
            .next(11, "a"), .next(13, "b"), .next(13, "c"), .error(15, Marble.Failure()),
        ]
        XCTAssertEqual(Marble.events("-a-(bc)-#", from: 10), events)
        XCTAssertEqual(events.marble(from: 10), "-a-(bc)-#")
        XCTAssertEqual(Marble.events("a--b|").marble(), "a--b|")
    }

    func testALetterCanStandForAnyValue() {
        XCTAssertEqual(
            Marble.events("-a-b|", values: ["a": 10, "b": 20]), [.next(1, 10), .next(3, 20), .completed(4)])
    }

    func testWhiteSpaceIsIgnored() {
        XCTAssertEqual(Marble.events("--a-- --(b c)|"), Marble.events("--a----(bc)|"))
    }

    func testElementsAreWrittenByTheirDescriptions() {
        let events: [Recorded<Event<[Int]>>] = [.next(1, [7]), .next(2, []), .completed(2)]
        XCTAssertEqual(events.marble(), "-'[7]'('[]'|)")
        XCTAssertEqual([Recorded<Event<Int>>.next(3, 12), .next(4, 5)].marble(), "---'12'5")
    }

    func testALongSilenceIsWrittenAsANumber() {
        XCTAssertEqual(Marble.events("a<3600>b|").marble(), "a<3600>b|")
        XCTAssertEqual(Marble.events("a<40>b").marble(), "a" + String(repeating: "-", count: 40) + "b")
        XCTAssertEqual([Recorded<Event<Int>>.next(210, 1)].marble(from: 200, to: 300), "----------1<89>")
    }

    func testAnUnsortedScriptIsWrittenInTheOrderOfItsTimes() {
        let events: [Recorded<Event<String>>] = [.next(3, "b"), .next(1, "a"), .next(3, "c"), .completed(4)]
        XCTAssertEqual(events.marble(), "-a-(bc)|")
    }

    func testAnEventAtTheEndOfTimeIsWritten() {
        let events: [Recorded<Event<String>>] = [.next(.max, "a")]
        for start in [0, -1] {
            XCTAssertEqual(events.marble(from: start, to: .max), "<\(Int.max - 1)>a")
        }
    }

    func testEventsBeforeTheFirstColumnAreOmitted() {
        XCTAssertEqual([Recorded<Event<Int>>.next(1, 1), .next(201, 2)].marble(from: 200), "-2")
    }

    func testAnInvalidLineThrowsAnErrorThatQuotesIt() {
        let wrong = ["-(a", "-a)", "-(a-)", "((a))", "<a>", "<3", "-'a", "'\\t'", ">", "\\", "(a<3>)"]
        for text in wrong {
            XCTAssertThrowsError(try MarbleLine(reading: text), text) { error in
                XCTAssertTrue("\(error)".hasPrefix("marbles \(text): "), "\(error)")
            }
        }
    }
}

/// Tests that writing a marble line and reading it give the same line.
final class MarblePropertyTests: XCTestCase {
    /// Names that are difficult for the syntax: reserved characters, quotes, combining marks, halves of flags, and no
    /// characters.
    private static let names = [
        "a", "b", "0", "é", "e\u{301}", "\u{301}", "🇩🇪", "🇩", "👩‍👩‍👧", "\u{200D}", "\u{600}", "ᄀ", "ᅡ", "…", "", " ", "\n",
        "\r\n", "\t",
        "-", "|", "#", "(", ")", "<", ">", "'", "\\", "\\n", "''", "'\u{301}", "a b", "[1, 2]", "\"x\"", "<3>", "(a)",
        "\u{0}", "\u{FEFF}",
    ]

    private var random = SplitMix64(seed: 20_261_121)

    private func line() -> MarbleLine {
        var column = Int.random(in: 0...3, using: &random)
        var marks: [MarbleLine.Mark] = []
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let name = Self.names.randomElement(using: &random) ?? "a"
            let signs: [MarbleLine.Sign] = [.element(name), .element(name), .element("x"), .failure, .end]
            marks.append(.init(column, signs.randomElement(using: &random) ?? .end))
            column += [0, 1, 1, 2, 5, 39, 40, 41, 42, 100_000].randomElement(using: &random) ?? 1
        }
        return MarbleLine(marks, width: Bool.random(using: &random) ? column + 3 : 0)
    }

    func testReadingAWrittenLineReturnsTheSameLine() throws {
        for _ in 0..<5_000 {
            let line = line()
            let read = try MarbleLine(reading: line.text)
            XCTAssertEqual(read, line, line.text)
            XCTAssertTrue(
                zip(read.marks, line.marks).allSatisfy { Self.scalars($0.sign) == Self.scalars($1.sign) }, line.text)
        }
    }

    func testWritingAReadCanonicalLineReturnsTheSameText() throws {
        for _ in 0..<5_000 {
            let text = line().text
            XCTAssertEqual(Array(try MarbleLine(reading: text).text.unicodeScalars), Array(text.unicodeScalars))
        }
    }

    func testRecordingsSurviveConversionToTextAndBack() {
        for _ in 0..<2_000 {
            let events = line().marks.map { mark -> Recorded<Event<String>> in
                switch mark.sign {
                case .element(let name): .next(mark.column + 200, name)
                case .failure: .error(mark.column + 200, Marble.Failure())
                case .end: .completed(mark.column + 200)
                }
            }
            XCTAssertEqual(Marble.events(events.marble(from: 200), from: 200), events)
        }
    }

    /// Equal strings may differ in their scalars.
    private static func scalars(_ sign: MarbleLine.Sign) -> [Unicode.Scalar] {
        if case .element(let name) = sign { Array(name.unicodeScalars) } else { [] }
    }
}
