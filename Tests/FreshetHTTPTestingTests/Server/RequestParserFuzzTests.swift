import Foundation
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTPTesting

/// Parses damaged requests whole and in pieces. `FRESHET_FUZZ` sets their number.
final class RequestParserFuzzTests: XCTestCase {
    private static let seeds = [
        "GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody\r\nPUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0a\r\n0123456789\r\n0\r\nT: t\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
    ]

    func testADamagedRequestIsParsedTheSameInPiecesAndAsAWhole() {
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 2000
        var random = SplitMix64(seed: 1)
        for number in 0..<count {
            let bytes = damaged(Array(Self.seeds.randomElement(using: &random)!.utf8), &random)
            let whole = result([bytes[...]])
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                pieces.append(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(pieces.last!.count)
            }
            let note = "number \(number): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
            XCTAssertEqual(result(pieces), whole, note)
            for cut in 0...bytes.count where number % 20 == 0 {
                XCTAssertEqual(result([bytes[..<cut], bytes[cut...]]), whole, "cut at \(cut), \(note)")
            }
        }
    }

    /// The events of the parser as text, and its error.
    private func result(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var parser = RequestParser(maximumHeadSize: 300, maximumBodySize: 500)
        var events: [String] = []
        do {
            for piece in pieces {
                parser.append(piece)
                while let event = try parser.next() {
                    switch event {
                    case .head(let head):
                        XCTAssertFalse(head.target.utf8.contains { $0 <= 32 })
                        events.append("\(head.method) \(head.target) \(head.headers) \(head.framing) body ")
                    case .body(let bytes): events[events.count - 1] += String(decoding: bytes, as: UTF8.self)
                    case .end(let trailers): events.append("end \(trailers)")
                    }
                }
            }
        } catch {
            // The parser may refuse a body at its first byte or at a later one. The events before are the same.
            if events.last?.contains(" body ") == true { events.removeLast() }
            events.append("refused with \(error.status)")
        }
        return events
    }

    private func damaged(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        let alphabet = Array("\r\n :;,=0123456789abcdefGPHT/\t\u{0}\u{7F}-+".utf8) + [0x80, 0xFF]
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = alphabet.randomElement(using: &random)!
            case 1: bytes.insert(alphabet.randomElement(using: &random)!, at: index)
            case 2: bytes.remove(at: index)
            case 3: bytes.removeLast(bytes.count - index)
            default: bytes.insert(contentsOf: bytes[index...].prefix(Int.random(in: 1...40, using: &random)), at: index)
            }
        }
        return bytes
    }
}
