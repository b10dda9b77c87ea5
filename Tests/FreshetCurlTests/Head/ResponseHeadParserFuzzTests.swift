import Foundation
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Parses damaged heads line by line, as libcurl passes them. `FRESHET_FUZZ` sets their number.
final class ResponseHeadParserFuzzTests: XCTestCase {
    private static let seeds = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n c\r\n\r\nX-Trailer: t\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/2 204 \r\nSet-Cookie: a=b\r\nSet-Cookie: c\r\n\r\n",
        "HTTP/1.0 301 Moved\r\nTransfer-Encoding: gzip, chunked\r\nContent-Encoding: br\r\nContent-Length: 3, 3\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    ]

    func testADamagedHeadIsParsedWithinItsLimitOrRefusedAndItsFieldsContainNoLineEnds() {
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 3000
        var random = SplitMix64(seed: 6)
        for number in 0..<count {
            let bytes = damaged(Array(Self.seeds.randomElement(using: &random)!.utf8), &random)
            var parser = ResponseHeadParser(maximumSize: 200)
            var size = 0
            for line in lines(of: bytes) {
                size += line.count
                let output = line.withUnsafeBytes { parser.line($0) }
                switch output {
                case .incomplete: continue
                case .informational(let head):
                    XCTAssertEqual(head.status.kind, .informational, "number \(number)")
                    check(head.headerFields, number)
                    continue
                case .head(let head, let info):
                    XCTAssertTrue((100...999).contains(head.status.code), "number \(number)")
                    XCTAssertGreaterThanOrEqual(info.contentLength ?? 0, 0, "number \(number)")
                    check(head.headerFields, number)
                    continue
                case .malformed, .tooManyLines: break
                case .tooLarge: XCTAssertGreaterThan(size, 200, "number \(number)")
                }
                break
            }
            check(parser.trailers ?? [:], number)
        }
    }

    func testADamagedHeadIsParsedTheSameWithAnyCachedHeads() {
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 3000
        var random = SplitMix64(seed: 7)
        let cache = HeaderCache()
        for number in 0..<count {
            var bytes = Array(Self.seeds.randomElement(using: &random)!.utf8)
            if random.once(in: 2) { bytes = damaged(bytes, &random) }
            let lines = lines(of: bytes)
            XCTAssertEqual(
                outputs(lines, cache), outputs(lines, nil),
                "number \(number): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }

    private func outputs(_ lines: [ArraySlice<UInt8>], _ cache: HeaderCache?) -> [String] {
        var reader = HeadReader(cache)
        return reader.outputs(lines)
    }

    private func check(_ fields: HTTPFields, _ number: Int) {
        for field in fields {
            XCTAssertFalse(field.value.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 }, "number \(number)")
            XCTAssertFalse(field.name.rawName.isEmpty, "number \(number)")
        }
    }

    /// The lines of `bytes`, each with its line feed, as libcurl passes them.
    private func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 10) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    private func damaged(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        let alphabet = Array("\r\n :;,=0123456789HTP/\t\u{0}\u{7F}-+".utf8) + [0x80, 0xFF]
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = alphabet.randomElement(using: &random)!
            case 1: bytes.insert(alphabet.randomElement(using: &random)!, at: index)
            case 2: bytes.remove(at: index)
            default: bytes.insert(contentsOf: bytes[index...].prefix(Int.random(in: 1...60, using: &random)), at: index)
            }
        }
        return bytes
    }
}

/// Collects what the parser returns for lines, as text.
private struct HeadReader {
    private let cache: HeaderCache?
    private var parser = ResponseHeadParser(maximumSize: 200)
    private var outputs: [String] = []

    init(_ cache: HeaderCache?) { self.cache = cache }

    mutating func outputs(_ lines: [ArraySlice<UInt8>]) -> [String] {
        for line in lines where !line.withUnsafeBytes({ receive($0) }) { return outputs }
        return outputs + ["\(parser.trailers ?? [:]) \(parser.hasHead)"]
    }

    /// - Returns: whether the parser accepts further lines.
    private mutating func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        switch parser.line(line, cache) {
        case .incomplete: break
        case .informational(let head): outputs.append("interim \(head.status) \(head.headerFields)")
        case .head(let head, let info):
            outputs.append("\(head.status) \(head.headerFields) \(info.contentLength ?? -1) \(info.coding)")
        case .malformed(let problem):
            outputs.append(problem)
            return false
        case .tooLarge, .tooManyLines:
            outputs.append("too large")
            return false
        }
        return true
    }
}
