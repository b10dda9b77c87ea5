import XCTest

/// Tests the QR code of a login on a terminal.
final class LoginCodeTests: SignInTestCase {
    /// The text on a terminal during a login with a code for another device.
    private func shown(columns: UInt16) throws -> String {
        let terminal = try Terminal()
        terminal.setWidth(columns)
        let run = try FreshetProcess(
            ["login", "--config", config(), "--profile", "p", "--device", "--qr"],
            environment: ["TERM": "xterm", "LC_ALL": "C.UTF-8"], redirection: "2>&0", input: terminal.end)
        // The terminal holds more than the whole code.
        XCTAssertEqual(run.result().status, 0)
        var text = ""
        while true {
            let more = terminal.text
            if more.isEmpty { return text }
            text += more
        }
    }

    func testACodeIsDrawnWhereItsLinesFit() throws {
        XCTAssertTrue(try shown(columns: 80).contains("\u{1B}[30;107m"))
        let narrow = try shown(columns: 20)
        XCTAssertFalse(narrow.contains("\u{1B}["), narrow)
        XCTAssertTrue(narrow.contains("note: the QR code needs "), narrow)
        XCTAssertTrue(narrow.contains(" columns, and the terminal has 20"), narrow)
    }
}
