import XCTest

final class RunLineTests: XCTestCase {
    func testAnInvalidLineIsReportedWithItsNumber() throws {
        let cases = [
            ("", "line 1: "), ("nonsense", "line 2: "), ("[]", "not an object"),
            ("{}", "url is missing"),
            (#"{"url": 5}"#, "url is a number"), (#"{"url": "/a"}"#, "not absolute"),
            (#"{"url": "http://u:s3cret@h/"}"#, "user or a password"), (#"{"url": "http://h/"} x"#, "column 22"),
            (#"{"url": "http://h/", "body": "a", "body_base64": "YQ=="}"#, "both there"),
            (#"{"url": "http://h/", "body_base64": "?"}"#, "no Base64"),
            (#"{"url": "http://h/", "headers": {"A": "b\r\nC: s3cret"}}"#, "header A holds CR"),
            (#"{"url": "http://h/", "headers": {"A": 1}}"#, "header A is a number"),
            (#"{"url": "http://h/", "headers": []}"#, "headers is an array"),
            (#"{"url": "http://h/", "method": "A B"}"#, "method"), ("{\"url\": \"http://h/", "too early"),
            (#"{"url": "ftp://h/"}"#, "line 16: the URL's scheme"),
            (#"{"url": "http://h/", "method": "HEAD", "body": "a"}"#, "line 17: a HEAD request"),
            (#"{"url": "http://h/", "body": "a\ud800b"}"#, "column 32: a string has half a surrogate pair"),
            (#"{"url": "http://h/", "body": "\udc00"}"#, "half a surrogate pair"),
        ]
        let result = try freshet("run", "--ordered", input: cases.map(\.0).joined(separator: "\n") + "\n")
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.lines.count, cases.count)
        for (object, (line, expected)) in zip(result.objects, cases) {
            let error = object["error"] as? [String: String]
            XCTAssertEqual(error?["code"], "invalid_request", line)
            XCTAssertTrue(error?["message"]?.contains(expected) ?? false, "\(line): \(error ?? [:])")
            XCTAssertTrue(object["status"] is NSNull)
        }
        XCTAssertFalse(result.text.contains("s3cret"))
    }

    func testAnIDIsReturnedUnchanged() throws {
        let ids = [
            "123456789012345678901234567890", "1.10", "-0.0", "1e400", #""a\u00e9\ud83d\ude00\n""#, "null", "true",
            #"[1, {"a": []}]"#, #"{"\u0041": ["\ud83d\ude00", 1e400]}"#,
        ]
        let result = try freshet("run", "--ordered", input: ids.map { "{\"id\": \($0)}" }.joined(separator: "\n"))
        XCTAssertEqual(result.lines.count, ids.count)
        for (line, id) in zip(result.lines, ids) { XCTAssertTrue(line.hasPrefix("{\"id\":\(id),"), line) }
    }

    func testAnIDAfterAWrongMemberIsReturned() throws {
        let wrong = [
            #""method": 5"#, #""url": {}"#, #""headers": {"A": [1]}"#, #""body": false"#, #""headers": 1, "method": 2"#,
            #""body": "\ud800""#,
        ]
        let input = wrong.map { "{\"url\": \"http://h/\", \($0), \"id\": 7}" }.joined(separator: "\n")
        let result = try freshet("run", "--ordered", input: input)
        XCTAssertEqual(result.objects.map { $0["id"] as? Int }, wrong.map { _ in 7 })
        XCTAssertTrue(result.lines.allSatisfy { $0.contains("invalid_request") }, result.text)
    }

    func testAnIDThatIsNoJSONIsNotReturned() throws {
        let ids = ["01", "1x", "-00", "truex", "nullnull", "1.5.2"]
        let input = ids.map { "{\"url\": \"x\", \"id\": \($0)}" }.joined(separator: "\n")
        let result = try freshet("run", "--ordered", input: input)
        XCTAssertEqual(result.lines.count, ids.count)
        for line in result.lines { XCTAssertTrue(line.hasPrefix("{\"id\":null,"), line) }
    }

    /// `jq` ends at the line of output with such an `id`.
    func testAnIDWithHalfASurrogatePairIsRefused() throws {
        let ids = [#""\ud800""#, #""a\ud800\u0041""#, #"{"\udc00": 1}"#, #"[1, ["\udfff"]]"#]
        let input = ids.map { "{\"url\": \"x\", \"id\": \($0)}" }.joined(separator: "\n")
        let result = try freshet("run", "--ordered", input: input)
        XCTAssertEqual(result.lines.count, ids.count)
        for (object, line) in zip(result.objects, result.lines) {
            let error = object["error"] as? [String: String]
            XCTAssertEqual(error?["code"], "invalid_request", line)
            XCTAssertTrue(error?["message"]?.contains("half a surrogate pair") ?? false, line)
            XCTAssertTrue(line.hasPrefix("{\"id\":null,"), line)
        }
    }

    func testAnEmptyLineIsReportedAsEmpty() throws {
        let result = try freshet("run", "--ordered", input: "\n \t\r\n")
        let messages = result.objects.compactMap { ($0["error"] as? [String: String])?["message"] }
        XCTAssertEqual(messages, (1...2).map { "line \($0): it is empty; leave it out (preparing)" })
    }

    func testAByteOrderMarkBeforeTheFirstLineIsIgnored() throws {
        let result = try freshet("run", "--ordered", input: "\u{FEFF}{\"id\": 1}\n\u{FEFF}{\"id\": 2}\n")
        let messages = result.objects.compactMap { ($0["error"] as? [String: String])?["message"] }
        XCTAssertTrue(messages.first?.contains("url is missing") ?? false, result.text)
        XCTAssertTrue(messages.last?.contains("no JSON") ?? false, result.text)
    }

    func testAMemberThatWasMeantAsAnotherIsRefusedWithTheRightName() throws {
        let body = "write the body as \"body\""
        let cases = [
            (#""method": "PUT", "data": "x""#, "data", body), (#""method": "POST", "json": {}"#, "json", body),
            (#""form": {}, "method": "PATCH""#, "form", body), (#""method": "post", "payload": 1"#, "payload", body),
            (#""method": "POST", "body": null, "data": "x""#, "data", body),
            (#""method": "PUT", "Body": "x""#, "Body", "write it as \"body\""),
            (#""BODY_BASE64": "eA==""#, "BODY_BASE64", "write it as \"body_base64\""),
            (#""Method": "PUT""#, "Method", "write it as \"method\""),
            (#""Headers": {}"#, "Headers", "write it as \"headers\""), (#""ID": 1"#, "ID", "write it as \"id\""),
        ]
        let lines = cases.map { "{\"url\": \"http://127.0.0.1:1/\", \($0.0)}" } + [#"{"URL": "http://127.0.0.1:1/"}"#]
        let result = try freshet("run", "--ordered", input: lines.joined(separator: "\n"))
        XCTAssertEqual(result.lines.count, lines.count)
        let errors = result.objects.map { $0["error"] as? [String: String] ?? [:] }
        XCTAssertEqual(errors.map { $0["code"] }, lines.map { _ in "invalid_request" }, result.text)
        let expected = cases.map { ($0.1, $0.2) } + [("URL", "write it as \"url\"")]
        for (index, (name, advice)) in expected.enumerated() {
            XCTAssertEqual(
                errors[index]["message"], "line \(index + 1): \"\(name)\" is not used; \(advice) (preparing)")
        }
    }

    /// Methods are case-sensitive (RFC 9110 section 9.1), so a server does not know `post`.
    func testAMethodOfTheStandardInAnotherCaseIsRefusedWithTheRightSpelling() throws {
        let methods = ["post", "Get", "hEAD", "put", "Patch", "delete", "options"]
        let lines = methods.map { "{\"id\": 1, \"method\": \"\($0)\", \"url\": \"http://127.0.0.1:1/\"}" }
        let result = try freshet("run", "--ordered", input: lines.joined(separator: "\n"))
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects.map { $0["id"] as? Int }, lines.map { _ in 1 })
        let errors = result.objects.map { $0["error"] as? [String: String] ?? [:] }
        for (index, method) in methods.enumerated() {
            XCTAssertEqual(errors[index]["code"], "invalid_request")
            XCTAssertEqual(
                errors[index]["message"],
                "line \(index + 1): the method \(method) is not in upper case; write "
                    + "\"method\": \"\(method.uppercased())\" (preparing)")
        }
        let own = try freshet("run", input: #"{"method": "purge", "url": "http://127.0.0.1:1/"}"#)
        XCTAssertTrue(own.text.contains(#""code":"connect""#), own.text)
    }

    func testEachUnknownMemberIsNotedOnce() throws {
        let lines = [#"{"id": 1, "metod": "PUT"}"#, #"{"metod": "PUT", "hedaers": {}}"#, #"{"hedaers": {}}"#]
        let result = try freshet("run", "--ordered", input: lines.joined(separator: "\n"))
        XCTAssertEqual(result.lines.count, 3)
        let notes = result.errorOutput.split(separator: "\n").filter { $0.contains("note: ") }
        XCTAssertEqual(notes.count, 2, result.errorOutput)
        XCTAssertTrue(notes.first?.hasPrefix("freshet: note: line 1: \"metod\" is not used; ") ?? false)
        XCTAssertTrue(notes.last?.hasPrefix("freshet: note: line 2: \"hedaers\" is not used; ") ?? false)
    }

    func testNotesAboutUnknownMembersEndAfterManyNames() throws {
        let lines = (1...100).map { "{\"m\($0)\": 1}" }
        let result = try freshet("run", "--ordered", input: lines.joined(separator: "\n"))
        XCTAssertEqual(result.lines.count, 100)
        XCTAssertEqual(result.errorOutput.split(separator: "\n").count { $0.contains("note: ") }, 20)
    }

    func testTheNoteNamesAllUnknownMembersOfItsLine() throws {
        let result = try freshet("run", input: #"{"metod": "PUT", "hedaers": {}}"#)
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: note: line 1: \"metod\", \"hedaers\" are not used; "),
            result.errorOutput)
    }

    func testAnEmptyInputHasNoOutput() throws {
        let result = try freshet("run")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.text, "")
    }
}
