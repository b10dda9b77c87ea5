import XCTest

@testable import freshet_cli

/// Tests how lines of the demonstration become a picture.
final class SVGPictureTests: XCTestCase {
    func testEqualCharactersInARowAreDrawnAsOneShape() {
        let shapes = drawn(StyledText("a ") + StyledText("··") + StyledText("░░░", .yellow) + StyledText("▁█", .red))
        XCTAssertEqual(
            shapes,
            [
                #"<text class="ink" x="16" y="29" textLength="16">a </text>"#,
                #"<rect class="ink" x="32" y="24" width="16" height="2"/>"#,
                #"<rect class="yellow shade" x="48" y="19" width="24" height="11"/>"#,
                #"<rect class="red" x="72" y="30" width="8" height="2"/>"#,
                #"<rect class="red" x="80" y="16" width="8" height="16"/>"#,
            ])
    }

    func testTextIsEscapedAndBlanksAreNotDrawn() {
        XCTAssertEqual(
            drawn(StyledText("<&✓", .bold) + StyledText("  ")),
            [#"<text class="bold" x="16" y="29" textLength="24">&lt;&amp;✓</text>"#])
    }

    func testThePictureFitsAllLinesAndHasColoursForLightAndDarkScreens() {
        let text = SVGPicture(of: [StyledText("ab"), StyledText(), StyledText("abc")]).text
        XCTAssertTrue(text.contains(#"width="56" height="86""#), text)
        XCTAssertTrue(text.contains("prefers-color-scheme:dark"))
    }

    func testTrailingBlanksOfALineAreRemoved() {
        let line = StyledText("a ", .red) + StyledText("  ") + StyledText(" ", .red)
        XCTAssertEqual(line.trimmed.terminalText, "a")
    }

    /// The elements of the picture of a line, without those of every picture.
    private func drawn(_ line: StyledText) -> [String] {
        SVGPicture(of: [line]).text.components(separatedBy: "\n")
            .filter { $0.hasPrefix("<text") || $0.hasPrefix("<rect") && !$0.contains("page") }
    }
}
