import FoundationEssentials
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class JSONLinesTests: XCTestCase {
    private struct Reading: Codable, Sendable, Equatable {
        var name: String
        var value: Double?
    }

    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func decoded(_ pieces: String..., limit: Int = 1000) -> [JSONLine<Reading>] {
        let lines = Locked<[JSONLine<Reading>]>([])
        _ = Observable.from(pieces.map { Array($0.utf8) }).jsonLines(of: Reading.self, limit: limit)
            .subscribe(onNext: { line in lines.withLock { $0.append(line) } })
        return lines.withLock { $0 }
    }

    func testEachLineIsDecodedAsAValue() {
        XCTAssertEqual(
            decoded("{\"name\":\"a\",", "\"value\":1.5}\r\n\n{\"na", "me\":\"é\"}"),
            [
                JSONLine(number: 1, result: .success(Reading(name: "a", value: 1.5))),
                JSONLine(number: 3, result: .success(Reading(name: "é"))),
            ])
    }

    func testAMalformedLineIsEmittedAsAnErrorAndTheRestIsRead() {
        let lines = decoded(
            "{\"name\":\"a\"}\n{\"secret\"\n[1]\n\u{0}\n" + String(repeating: "x", count: 60) + "\n", limit: 50)
        XCTAssertEqual(lines.map(\.number), [1, 2, 3, 4, 5])
        XCTAssertEqual(lines.map { $0.error?.code }, [nil, .decoding, .decoding, .decoding, .tooLarge])
        XCTAssertEqual(lines.map { $0.value?.name }, ["a", nil, nil, nil, nil])
        XCTAssertTrue("\(lines[1].error!)".contains("line 2"))
        XCTAssertFalse("\(lines[1].error!)".contains("secret"))
    }

    func testAnErrorOfTheSourceFailsTheStreamAndDropsTheUnfinishedLine() {
        let line = Observable.just(Array("1\n2".utf8)).concat(
            Observable.error(HTTPClientError(.timeout, phase: .receiving, message: ""))
        )
        .jsonLines(of: Int.self)
        let events = Locked<[String]>([])
        _ = line.subscribe { event in
            events.withLock { events in
                switch event {
                case .next(let line): events.append("\(line.value ?? 0)")
                case .error: events.append("error")
                case .completed: events.append("completed")
                }
            }
        }
        XCTAssertEqual(events.withLock { $0 }, ["1", "error"], "what was cut off is no line")
    }

    func testLinesAfterTheLastWantedOneAreNotDecoded() {
        struct CountingDecoder: BodyDecoder {
            let count = Locked(0)

            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                count.withLock { $0 += 1 }
                return try JSONDecoder().decode(type, from: data)
            }
        }
        let decoder = CountingDecoder()
        let piece = Array("1\n2\n3\n4\n".utf8)
        _ = Observable.just(piece).jsonLines(of: Int.self, using: decoder).take(2).subscribe()
        XCTAssertEqual(decoder.count.withLock { $0 }, 2)
        let events = Observable.just(RequestEvent.body(piece))
        _ = events.jsonLines(of: Int.self, using: decoder).take(1).subscribe()
        XCTAssertEqual(decoder.count.withLock { $0 }, 3)
    }

    func testTheBodyOfAResponseIsReadAsJSONLines() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(.streaming(.from([Array("1\n".utf8), Array("2".utf8), Array("\nx".utf8)])))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let values = Locked<[Int?]>([])
        let origins = Locked<[String]>([])
        _ = client.events(try Request(.get, "http://a/")).validate(statusCodes: 200..<300).jsonLines(of: Int.self)
            .subscribe(onNext: { line in
                values.withLock { $0.append(line.value) }
                if let error = line.error { origins.withLock { $0.append(error.origin) } }
            })
        scheduler.start()
        XCTAssertEqual(values.withLock { $0 }, [1, 2, nil])
        XCTAssertEqual(origins.withLock { $0 }, ["http://a"])
    }

    func testValuesAreEncodedAsLines() throws {
        let readings = [Reading(name: "a\nb", value: 1), Reading(name: "c")]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let expected = "{\"name\":\"a\\nb\",\"value\":1}\n{\"name\":\"c\"}\n"
        let pieces = Locked<[UInt8]>([])
        _ = Observable.from(readings).encodedAsJSONLines(using: encoder).subscribe(
            onNext: { piece in pieces.withLock { $0 += piece } })
        XCTAssertEqual(String(decoding: pieces.withLock { $0 }, as: UTF8.self), expected)
        let body = try RequestBody.jsonLines(readings, using: encoder)
        XCTAssertEqual(body.bytes, Array(expected.utf8))
        XCTAssertEqual(body.contentType, "application/x-ndjson")
        XCTAssertEqual(body.length, expected.utf8.count)
    }

    func testAStreamOfValuesIsSentAsABody() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse())
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let body = RequestBody.jsonLines(Observable.range(start: 1, count: 3))
        XCTAssertNil(body.length)
        _ = client.post("http://a/", body: body).subscribe { _ in }
        scheduler.start()
        XCTAssertEqual(transport.requests.first?.text, "1\n2\n3\n")
        XCTAssertEqual(transport.requests.first?.headers[.contentType], "application/x-ndjson")
    }

    func testAValueThatIsNotOneLineOfJSONThrows() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        XCTAssertThrowsError(try RequestBody.jsonLines([Reading(name: "a")], using: encoder)) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest)
        }
        XCTAssertThrowsError(try RequestBody.jsonLines([Double.nan])) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest)
        }
    }

    func testWrittenLinesAreReadBack() throws {
        let readings = (0..<100).map { Reading(name: String(repeating: "é\"\n", count: $0), value: Double($0)) }
        let bytes = try XCTUnwrap(try RequestBody.jsonLines(readings).bytes)
        let read = Locked<[Reading?]>([])
        _ = Observable.from(bytes.map { [$0] }).jsonLines(of: Reading.self)
            .subscribe(onNext: { line in read.withLock { $0.append(line.value) } })
        XCTAssertEqual(read.withLock { $0 }, readings)
    }
}
