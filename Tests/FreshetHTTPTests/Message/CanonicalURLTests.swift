import FreshetHTTP
import FreshetTesting
import XCTest

/// Tests the fast path for addresses that need no change. A scheme in upper case avoids that path.
final class CanonicalURLTests: XCTestCase {
    private static let pieces = [
        "a", "b", "host", "example.com", "127.0.0.1", "127.1", "0x7f", "1", ".", "..", "-", "_", "A", "é", "[::1]", "@",
        "u:p@",
        ":", ":80", ":443", ":0", ":080", ":65536", ":99999999", "/", "//", "/a", "/.", "/..", "/./", "/../", "/.a",
        "%", "%2e",
        "%2E%2e", "%41", "%zz", "%00", "?", "?a=b", "?/../", "#", "#f", " ", "\t", "\n", "\u{7F}", "\\", "\"", "'", "<",
        "|", "{", "~",
        "+", "&", "=", ";", ",", "!", "*", "(", "$",
    ]

    private func outcome(_ text: String) -> String {
        do {
            let url = try RequestURL(text)
            return "\(url.scheme) \(url.host) \(url.port) \(url.pathAndQuery)"
        } catch {
            return "\(error)"
        }
    }

    func testTheFastPathParsesAURLLikeTheSlowPath() {
        var random = SplitMix64(seed: 20_26)
        var read = 0
        for _ in 0..<20_000 {
            let rest = (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.pieces.randomElement(using: &random)!
            }
            .joined()
            let text = (Bool.random(using: &random) ? "host" : "") + rest
            for (short, long) in [("http://", "HTTP://"), ("https://", "HTTPS://")] {
                let result = outcome(short + text)
                XCTAssertEqual(result, outcome(long + text), text.debugDescription)
                if result.hasPrefix("http") { read += 1 }
            }
        }
        XCTAssertGreaterThan(read, 5000)
    }
}
