import Foundation
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests that the parser accepts each head or refuses it with a reason, and keeps to its limit.
final class ResponseHeadParserTests: XCTestCase {
    private enum Seen: Equatable {
        case informational(HTTPResponse)
        case head(HTTPResponse, length: Int?)
        case malformed
        case tooLarge
        case tooManyLines
    }

    /// The parser's results for `text`, which is cut into lines as libcurl cuts it, until the parser refuses a line.
    private func seen(_ text: [UInt8], maximumSize: Int = 4096) -> (all: [Seen], trailers: HTTPFields) {
        var parser = ResponseHeadParser(maximumSize: maximumSize)
        var all: [Seen] = []
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = Array(rest[..<end])
            rest = rest[end...]
            switch line.withUnsafeBytes({ parser.line($0) }) {
            case .incomplete: break
            case .informational(let head): all.append(.informational(head))
            case .head(let head, let info): all.append(.head(head, length: info.contentLength))
            case .malformed:
                all.append(.malformed)
                return (all, parser.trailers ?? [:])
            case .tooLarge:
                all.append(.tooLarge)
                return (all, parser.trailers ?? [:])
            case .tooManyLines:
                all.append(.tooManyLines)
                return (all, parser.trailers ?? [:])
            }
        }
        return (all, parser.trailers ?? [:])
    }

    private let sample = Array(
        """
        HTTP/1.1 103 Early Hints\r
        Link: </style.css>\r
        \r
        HTTP/1.1 200 Fine, thanks\r
        Content-Length: 5, 5\r
        Content-Encoding: GZip , identity\r
        X-Long: a\r
        \tb\r
        Set-Cookie: a=1\r
        Set-Cookie: b=2\r
        \r
        X-Check: ok\r
        \r

        """.utf8)

    func testAValueThatIsNotUTF8KeepsItsBytes() throws {
        let head = Array("HTTP/1.1 200 OK\r\nX-Name: M".utf8) + [0xFC] + Array("ller \r\n\r\n".utf8)
        guard case .head(let parsed, _)? = seen(head).all.first else { return XCTFail("no head") }
        let field = try XCTUnwrap(parsed.headerFields.first)
        XCTAssertEqual(field.withUnsafeBytesOfValue { Array($0) }, [77, 0xFC] + Array("ller".utf8))
        XCTAssertEqual(field.value, "M\u{FFFD}ller")
    }

    func testASampleHeadIsParsedToItsParts() {
        let (all, trailers) = seen(sample)
        XCTAssertEqual(all.count, 2)
        guard all.count == 2, case .informational(let hints) = all[0], case .head(let head, let length) = all[1] else {
            return XCTFail("\(all)")
        }
        XCTAssertEqual(hints.headerFields.count, 1)
        XCTAssertEqual(head.status.reasonPhrase, "Fine, thanks")
        XCTAssertEqual(length, 5)
        XCTAssertEqual(head.headerFields[HTTPField.Name("X-Long")!], "a b")
        XCTAssertEqual(head.headerFields[values: .setCookie], ["a=1", "b=2"])
        XCTAssertEqual(trailers[HTTPField.Name("X-Check")!], "ok")
    }

    func testALengthThatDoesNotCountIsNotInTheHead() {
        for (head, isCounted) in [
            ("200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked", false),
            ("200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: identity", true),
            ("204 No\r\nContent-Length: 9", false), ("304 No\r\nContent-Length: 9", true),
        ] {
            guard case .head(let seen, let length) = seen(Array("HTTP/1.1 \(head)\r\n\r\n".utf8)).all.first else {
                return XCTFail(head)
            }
            XCTAssertEqual(seen.headerFields[.contentLength], isCounted ? "9" : nil, head)
            XCTAssertEqual(length, isCounted ? 9 : nil, head)
        }
    }

    func testATruncatedSampleIsParsedToABeginningOfTheWhole() {
        let whole = seen(sample).all
        for count in sample.indices {
            var part = seen(Array(sample[..<count])).all
            // The rest of a status line may be malformed.
            if part.last == .malformed { part.removeLast() }
            XCTAssertEqual(part, Array(whole.prefix(part.count)), "\(count)")
        }
    }

    func testRandomBytesAreParsedOrRefused() {
        let interesting =
            Array("\r\n \t:,0123456789\0\u{7F}HTTP/1.1 Content-Length: Transfer-Encoding: chunked".utf8) + [0x80, 0xFF]
        var random = Numbers(seed: 7)
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 3000
        for round in 0..<count {
            var bytes = sample
            for _ in 0..<random.next(below: 8) + 1 {
                let index = random.next(below: bytes.count)
                switch random.next(below: 4) {
                case 0: bytes[index] = interesting[random.next(below: interesting.count)]
                case 1: bytes.insert(interesting[random.next(below: interesting.count)], at: index)
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + random.next(below: 20) + 1))
                default:
                    bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + random.next(below: 60))], at: index)
                }
                if bytes.isEmpty { bytes = sample }
            }
            let (all, trailers) = seen(bytes)
            check(all, trailers, of: bytes, "round \(round)")
            XCTAssertEqual(seen(bytes).all, all)
        }
    }

    private func check(_ all: [Seen], _ trailers: HTTPFields, of bytes: [UInt8], _ what: String) {
        let heads = all.filter { if case .head = $0 { true } else { false } }
        XCTAssertLessThanOrEqual(heads.count, 1, what)
        var fields = trailers.count
        for one in all {
            switch one {
            case .informational(let head):
                XCTAssertEqual(head.status.kind, .informational, what)
                XCTAssertNotEqual(head.status.code, 101, what)
                fields += head.headerFields.count
            case .head(let head, let length):
                XCTAssertTrue((200...999).contains(head.status.code), what)
                XCTAssertGreaterThanOrEqual(length ?? 0, 0, what)
                fields += head.headerFields.count
            case .malformed, .tooLarge, .tooManyLines: break
            }
        }
        XCTAssertLessThanOrEqual(fields, bytes.split(separator: UInt8(ascii: "\n")).count, what)
        for field in trailers { XCTAssertFalse(field.value.utf8.contains { $0 == 10 || $0 == 0 }, what) }
    }

    func testTheSizeLimitCoversAllHeadsTogether() {
        let size = sample.count
        XCTAssertFalse(seen(sample, maximumSize: size).all.contains(.tooLarge))
        for limit in 0..<size { XCTAssertEqual(seen(sample, maximumSize: limit).all.last, .tooLarge) }
    }

    /// A field too many for `HTTPFields` ended the program.
    func testAHeadOrTrailersOfTooManyLinesAreRefused() {
        func outcome(_ lines: Int, of line: String, after start: String) -> [Seen] {
            let text = start + String(repeating: line, count: lines) + "\r\n"
            return seen(Array(text.utf8), maximumSize: 1 << 20).all
        }
        for start in ["HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 200 OK\r\n\r\nX: y\r\n"] {
            for line in ["a:\n", "a\n"] {
                XCTAssertNotEqual(outcome(4900, of: line, after: start).last, .tooManyLines)
                XCTAssertEqual(outcome(70_000, of: line, after: start).last, .tooManyLines)
            }
            XCTAssertNotEqual(outcome(100, of: " a\n", after: start).last, .tooManyLines)
            XCTAssertEqual(outcome(101, of: " a\n", after: start).last, .tooManyLines)
        }
    }

    func testARepeatedHeadIsTakenFromTheCache() {
        let cache = HeaderCache()
        func receive(second: Int) -> Int? {
            var parser = ResponseHeadParser(maximumSize: 4096)
            var length: Int?
            for line in [
                "HTTP/1.1 200 OK\r\n", "Date: Sun, 22 Nov 2026 08:00:0\(second) GMT\r\n",
                "Content-Length: \(second)\r\n", "\r\n",
            ] {
                let output = Array(line.utf8).withUnsafeBytes { parser.line($0, cache) }
                if case .head(_, let info) = output { length = info.contentLength }
            }
            XCTAssertTrue(parser.hasHead)
            return length
        }
        XCTAssertEqual(receive(second: 1), 1)
        let first = cache.latest
        XCTAssertEqual(receive(second: 1), 1)
        XCTAssertTrue(cache.latest === first)
        XCTAssertEqual(receive(second: 2), 2)
        XCTAssertFalse(cache.latest === first)
        XCTAssertEqual(receive(second: 1), 1)
    }

    func testAHeadOverTheSizeOfTheCacheIsParsedEachTime() {
        let cache = HeaderCache()
        let lines = ["HTTP/1.1 200 OK\r\n", "X-A: \(String(repeating: "a", count: HeaderCache.largest))\r\n", "\r\n"]
        for _ in 0..<2 {
            var parser = ResponseHeadParser(maximumSize: 8192)
            for line in lines { _ = Array(line.utf8).withUnsafeBytes { parser.line($0, cache) } }
            XCTAssertTrue(parser.hasHead)
            XCTAssertNil(cache.latest)
        }
    }

    func testTheDataOfAChunkedBodyIsTheSameInAnyPieces() {
        let body = Array("5;name=\"x\"\r\nhello\r\nA\r\n, brave ne\r\n7\nw world\r\n000\r\nX-Check: 1\r\n\r\n".utf8)
        for first in 0...body.count {
            for second in stride(from: first, through: body.count, by: 3) {
                var frames = ChunkedFrames()
                var data: [UInt8] = []
                for piece in [body[..<first], body[first..<second], body[second...]] {
                    Array(piece).withUnsafeBytes { frames.process($0) { data += $0 } }
                }
                XCTAssertEqual(String(decoding: data, as: UTF8.self), "hello, brave new world")
                XCTAssertEqual(frames.isComplete, true)
            }
        }
        for count in body.indices {
            var frames = ChunkedFrames()
            Array(body[..<count]).withUnsafeBytes { frames.process($0) { _ in } }
            XCTAssertEqual(frames.isComplete, false, "the trailers end with an empty line")
        }
        var random = Numbers(seed: 3)
        for _ in 0..<20_000 {
            let noise = (0..<40).map { _ in Array("0123abcF;\r\n ".utf8)[random.next(below: 12)] }
            var frames = ChunkedFrames()
            var count = 0
            noise.withUnsafeBytes { frames.process($0) { count += $0.count } }
            XCTAssertLessThan(count, noise.count)
        }
    }
}

/// A generator that returns the same numbers in each run.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
