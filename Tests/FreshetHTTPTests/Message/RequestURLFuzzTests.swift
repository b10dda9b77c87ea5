import Foundation
import FreshetTesting
import XCTest

@testable import FreshetHTTP

/// Parses damaged addresses, dates, delays and lines. `FRESHET_FUZZ` sets their number.
final class RequestURLFuzzTests: XCTestCase {
    private let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 3000

    func testAnAcceptedRandomURLIsNormalizedAndSurvivesParsingAgain() {
        var random = SplitMix64(seed: 2)
        let seeds = [
            "http://example.com/a/b?c=d#e", "https://[::1]:8443/x/../y/./z", "HTTP://H:80", "https://ä.example/ü?ö",
            "http://h//?//",
        ]
        for _ in 0..<count {
            let text = damaged(seeds.randomElement(using: &random)!, &random)
            guard let url = try? RequestURL(text) else { continue }
            check(url, text)
            if text.hasPrefix("http:") {
                XCTAssertEqual(try RequestURL("HTTP" + text.dropFirst(4)), url, "with a closer look: \(text)")
            }
        }
    }

    func testAnAcceptedRandomReferenceResolvesToANormalizedHTTPURL() throws {
        var random = SplitMix64(seed: 3)
        let base = try RequestURL("https://example.com/a/b/c?d")
        let seeds = [
            "../x?y", "//other.example/z", "?q", "#f", "/r/./../s", "http://t/", "u:v", "", "x/y:z", "...",
            "javascript:1",
        ]
        for _ in 0..<count {
            let text = damaged(seeds.randomElement(using: &random)!, &random)
            guard let url = try? base.resolving(text) else { continue }
            check(url, text)
            if !text.contains(":"), !text.hasPrefix("//") {
                XCTAssertEqual(url.origin, base.origin, text.debugDescription)
            }
        }
    }

    private func check(_ url: RequestURL, _ text: String) {
        let note = text.debugDescription
        XCTAssertTrue(url.scheme == "http" || url.scheme == "https", note)
        XCTAssertTrue((1...65535).contains(url.port), note)
        XCTAssertTrue(url.pathAndQuery.hasPrefix("/"), note)
        XCTAssertFalse(url.pathAndQuery.utf8.contains { $0 <= 32 || $0 >= 127 || $0 == UInt8(ascii: "#") }, note)
        XCTAssertFalse(url.host.utf8.contains { $0 <= 32 || $0 == 127 || "/?#@\\".utf8.contains($0) }, note)
        XCTAssertFalse(url.path.split(separator: "/", omittingEmptySubsequences: false).contains(".."), note)
        XCTAssertEqual(try RequestURL(url.absoluteString), url, note)
    }

    func testAnyRandomRetryAfterIsInvalidOrAFiniteDelay() {
        var random = SplitMix64(seed: 4)
        let seeds = [
            "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "",
        ]
        for _ in 0..<count {
            let text = damaged(seeds.randomElement(using: &random)!, &random)
            guard let delay = RetryAfter(text)?.delay(at: 784_111_000) else { continue }
            XCTAssertGreaterThanOrEqual(delay, .zero, text.debugDescription)
            XCTAssertLessThan(delay, .seconds(300_000_000_000), text.debugDescription)
        }
    }

    func testLinesOfDamagedTextAreTheSameInPiecesAndAsAWhole() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<count {
            let text = damaged("a\r\nbb\n\r\n\rccc\n\nd\r", &random)
            let bytes = Array(text.utf8)
            let whole = try lines([bytes[...]])
            for cut in 0...bytes.count {
                XCTAssertEqual(try lines([bytes[..<cut], bytes[cut...]]), whole, text.debugDescription)
            }
            XCTAssertEqual(try lines(bytes.indices.map { bytes[$0...$0] }), whole, text.debugDescription)
        }
    }

    private func lines(_ pieces: [ArraySlice<UInt8>]) throws -> [[UInt8]] {
        var splitter = LineSplitter(maximumLength: 100)
        var lines: [[UInt8]] = []
        for piece in pieces {
            try piece.withUnsafeBufferPointer { try splitter.take($0) { lines.append(Array($0)) } }
        }
        return lines
    }

    private func damaged(_ text: String, _ random: inout SplitMix64) -> String {
        var scalars = Array(text.unicodeScalars)
        let alphabet = Array(":/?#[]@%.\\ \t\r\n\u{0}\u{7F}aZ09-é\u{338}\u{202E}".unicodeScalars)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let index = Int.random(in: 0...scalars.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where index < scalars.count: scalars.remove(at: index)
            case 1 where index < scalars.count: scalars[index] = alphabet.randomElement(using: &random)!
            case 2: scalars.insert(contentsOf: scalars[..<index], at: index)
            default: scalars.insert(alphabet.randomElement(using: &random)!, at: index)
            }
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}
