import Foundation
import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

/// A form as a server decodes it. The decoder follows RFC 7578 and RFC 2046, and not the encoder.
private struct DecodedForm: Equatable {
    struct Part: Equatable {
        var name: String
        var filename: String?
        var contentType: String?
        var body: [UInt8]
    }

    var parts: [Part] = []

    init(_ parts: [Part]) { self.parts = parts }

    init?(_ bytes: [UInt8], contentType: String) {
        guard let equals = contentType.range(of: "boundary=") else { return nil }
        let boundary = contentType[equals.upperBound...].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        let data = Data(bytes)
        let delimiter = Data("\r\n--\(boundary)".utf8)
        // No line break precedes the first delimiter.
        guard data.starts(with: delimiter.dropFirst(2)) else { return nil }
        var position = delimiter.count - 2
        while true {
            let line = data[position...].prefix(2)
            if line == Data("--".utf8) {
                guard data[(position + 2)...] == Data("\r\n".utf8) else { return nil }
                return
            }
            guard line == Data("\r\n".utf8), let end = data.range(of: delimiter, in: position..<data.count),
                let headEnd = data.range(of: Data("\r\n\r\n".utf8), in: position..<end.lowerBound)
            else { return nil }
            var part = Part(name: "", body: [UInt8](data[headEnd.upperBound..<end.lowerBound]))
            let head = String(decoding: data[(position + 2)..<headEnd.lowerBound], as: UTF8.self)
            for line in head.components(separatedBy: "\r\n") {
                guard part.take(line) else { return nil }
            }
            parts.append(part)
            position = end.upperBound
        }
    }
}

extension DecodedForm.Part {
    fileprivate mutating func take(_ line: String) -> Bool {
        if line.hasPrefix("Content-Type: ") {
            contentType = String(line.dropFirst(14))
            return true
        }
        guard line.hasPrefix("Content-Disposition: form-data; name=\""), line.hasSuffix("\"") else { return false }
        let parameters = String(line.dropFirst(38).dropLast()).components(separatedBy: "\"; filename=\"")
        guard (1...2).contains(parameters.count), parameters.allSatisfy({ !$0.contains("\"") }) else { return false }
        func text(_ value: String) -> String {
            value.replacingOccurrences(of: "%22", with: "\"").replacingOccurrences(of: "%0D", with: "\r")
                .replacingOccurrences(of: "%0A", with: "\n")
        }
        name = text(parameters[0])
        filename = parameters.count == 2 ? text(parameters[1]) : nil
        return true
    }
}

final class MultipartFormTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func bytes(_ body: RequestBody) throws -> [UInt8] {
        if let bytes = body.bytes { return bytes }
        guard case .source(let unchecked) = body else { return [] }
        let source = try unchecked.check()
        let result = Locked<Result<[UInt8], any Error>>(.success([]))
        source.open().subscribe(
            onNext: { piece in result.withLock { $0 = $0.map { $0 + piece } } },
            onError: { error in result.withLock { $0 = .failure(error) } }
        ).dispose()
        let bytes = try result.withLock { try $0.get() }
        if let length = body.length { XCTAssertEqual(bytes.count, length) }
        return bytes
    }

    func testAFormIsEncodedAsInBrowsers() throws {
        var form = MultipartForm(boundary: "B")
        form.append("title", "Spring tide")
        form.append("photo", bytes: Array("JPEG".utf8), filename: "tide.jpg", contentType: "image/jpeg")
        let body = RequestBody.multipart(form)
        XCTAssertEqual(body.contentType, "multipart/form-data; boundary=B")
        XCTAssertEqual(
            String(decoding: try bytes(body), as: UTF8.self),
            """
            --B\r
            Content-Disposition: form-data; name="title"\r
            \r
            Spring tide\r
            --B\r
            Content-Disposition: form-data; name="photo"; filename="tide.jpg"\r
            Content-Type: image/jpeg\r
            \r
            JPEG\r
            --B--\r\n
            """)
        XCTAssertNotNil(body.bytes, "small, and in memory")
        XCTAssertEqual(
            String(decoding: try bytes(.multipart(MultipartForm(boundary: "B"))), as: UTF8.self), "--B--\r\n")
    }

    func testAPartOfBytesStatesNoTypeAndOneOfDataDoes() throws {
        var form = MultipartForm(boundary: "B")
        form.append("a", .bytes([UInt8](Data("1".utf8))))
        form.append("b", .data(Data("2".utf8)))
        XCTAssertEqual(
            String(decoding: try bytes(.multipart(form)), as: UTF8.self),
            """
            --B\r
            Content-Disposition: form-data; name="a"\r
            \r
            1\r
            --B\r
            Content-Disposition: form-data; name="b"\r
            Content-Type: application/octet-stream\r
            \r
            2\r
            --B--\r\n
            """)
    }

    func testAFieldNameCannotInjectAHeader() throws {
        var form = MultipartForm(boundary: "B")
        form.append("a\"; filename=\"x\r\nX-Evil: 1\r\n\r\n", bytes: [1], filename: "b\"\n\r\"")
        let text = String(decoding: try bytes(.multipart(form)), as: UTF8.self)
        XCTAssertTrue(
            text.contains("name=\"a%22; filename=%22x%0D%0AX-Evil: 1%0D%0A%0D%0A\"; filename=\"b%22%0A%0D%22\""))
    }

    func testAnInvalidContentTypeOrBoundaryIsRefused() throws {
        var form = MultipartForm()
        form.append("a", .bytes([1]), contentType: "a/b\r\nX-Evil: 1")
        XCTAssertThrowsError(try bytes(.multipart(form))) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
        }
        for boundary in ["", "a b", "a\r\nb", "ä", String(repeating: "b", count: 71)] {
            XCTAssertThrowsError(try bytes(.multipart(MultipartForm(boundary: boundary))), boundary)
        }
    }

    func testBoundariesDifferAndAreQuotedWhereNecessary() {
        XCTAssertNotEqual(MultipartForm().boundary, MultipartForm().boundary)
        XCTAssertEqual(
            RequestBody.multipart(MultipartForm(boundary: "a:b")).contentType, "multipart/form-data; boundary=\"a:b\"")
    }

    func testAFileIsStreamedUnderItsNameAndTheTotalLengthIsKnown() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: url) }
        let content = [UInt8](repeating: 0x61, count: 200_000)
        try Data(content).write(to: url)
        var form = MultipartForm()
        form.append("a", "1")
        form.append("file", file: url.path)
        form.append("b", "2")
        let body = RequestBody.multipart(form)
        XCTAssertNil(body.bytes)
        XCTAssertTrue(body.isReplayable)
        let sent = try bytes(body)
        XCTAssertEqual(body.length, sent.count)
        XCTAssertEqual(
            DecodedForm(sent, contentType: body.contentType ?? ""),
            DecodedForm([
                .init(name: "a", body: [0x31]),
                .init(
                    name: "file", filename: url.lastPathComponent, contentType: "application/octet-stream",
                    body: content),
                .init(name: "b", body: [0x32]),
            ]))
        form.append("missing", file: "/nowhere")
        XCTAssertThrowsError(try bytes(.multipart(form)))
    }

    func testAStreamOfUnknownLengthMakesTheTotalLengthUnknown() throws {
        var form = MultipartForm()
        form.append("log", .stream(.of([1], [2]), contentType: "a/b"), filename: "log")
        let body = RequestBody.multipart(form)
        XCTAssertNil(body.length)
        XCTAssertFalse(body.isReplayable)
        XCTAssertEqual(
            DecodedForm(try bytes(body), contentType: body.contentType ?? "")?.parts,
            [.init(name: "log", filename: "log", contentType: "a/b", body: [1, 2])])
    }

    func testARandomFormSurvivesEncodingAndDecoding() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let letters = Array("\r\n-fB\"".utf8)
        let alphabet = [
            "a", "B", "\"", "\r", "\n", "\r\n", "--", ";", "=", "\\", "ä", "😀", "\0", " ", "filename", ":", "%",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random)! }.joined()
        }
        func content() -> [UInt8] {
            let size = Bool.random(using: &random) ? Int.random(in: 0...30) : Int.random(in: 65_000...67_000)
            if size < 100 { return Array(text().utf8) }
            return (0..<size).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
        }
        for _ in 0..<60 {
            var form = MultipartForm()
            var parts: [DecodedForm.Part] = []
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let (name, body) = (text(), content())
                let filename = Bool.random(using: &random) ? text() : nil
                let type = Bool.random(using: &random) ? "a/b; c=\"d\"" : nil
                let isStreamed = Bool.random(using: &random)
                let pieces = stride(from: 0, to: body.count, by: 999).map {
                    Array(body[$0..<min($0 + 999, body.count)])
                }
                form.append(
                    name, isStreamed ? .stream(.from(pieces), length: body.count) : .bytes(body), filename: filename,
                    contentType: type)
                parts.append(.init(name: name, filename: filename, contentType: type, body: body))
            }
            let body = RequestBody.multipart(form)
            let decoded = DecodedForm(try bytes(body), contentType: body.contentType ?? "")
            XCTAssertTrue(decoded == DecodedForm(parts), "seed \(seed): \(parts.map(\.name))")
        }
    }

    func testALengthThatNoNumberCanHoldIsNotKnown() {
        var form = MultipartForm()
        form.append("a", .stream(.empty(), length: .max))
        form.append("b", .stream(.empty(), length: .max))
        XCTAssertNil(RequestBody.multipart(form).length)
    }
}
