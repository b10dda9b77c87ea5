import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that a recording changes nothing of a text but its secrets.
final class MaskedTextTests: RecordingTestCase {
    private func outcome(
        _ mode: HTTPRecording.Mode, _ request: Request, _ response: ScriptedResponse? = nil,
        masking names: Set<String> = []
    ) throws -> Result<Response, any Error>? {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        if let response { server.enqueue(response) }
        let recording = try HTTPRecording(
            at: path, mode: mode, masking: names, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        let outcome = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.send(request).subscribe { event in outcome.withLock { $0 = event } }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    /// The response of a replay after `body` was recorded.
    private func replayed(_ body: String) throws -> Response {
        let request = try Request(.get, "https://api.example/a")
        _ = try outcome(.record, request, ScriptedResponse(headers: [.contentType: "text/plain"], body: body))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try XCTUnwrap(outcome(.replay, request)).get()
    }

    func testMaskingJSONChangesNothingButTheSecrets() throws {
        func body(_ token: String, _ key: String) -> String {
            #"{"id": 1234567890123456789, "price": 1.10, "n": [{"token": "\#(token)"}], "key":["\#(key)"]}"# + "\n"
        }
        let played = try replayed(body(#"tok_\/abcdef"#, "aa"))
        XCTAssertEqual(played.text, body("REDACTED", "REDACTED"))
        XCTAssertEqual(played.headers[.contentLength] ?? "\(played.text.utf8.count)", "\(played.text.utf8.count)")
    }

    func testSecretsAreFoundInLinesAndEventsAndOtherTextStays() throws {
        let bodies = [
            #"{"password":"s3cret-1"}|{"password":"s3"}|"#: #"{"password":"REDACTED"}|{"password":"REDACTED"}|"#,
            #"data: {"access_token": "s3cret-2"}||"#: #"data: {"access_token": "REDACTED"}||"#,
            "password=s3cret-33|user=me|": "password=REDACTED|user=me|",
            "x=1&token=s3cret-44 in a browser|and then": "x=1&token=REDACTED in a browser|and then",
            #"a " quote|"token": "s3cret-5""#: #"a " quote|"token": "REDACTED""#,
            #"{"message":"bad code=42","user":{"name":"ada"}}"#: #"{"message":"bad code=42","user":{"name":"ada"}}"#,
            #"<item key="username1">x</item>"#: #"<item key="username1">x</item>"#,
            #"{"session":[1,"s3",null,["s4"],["s5"]],"a":["b"]}"#:
                #"{"session":[1,"REDACTED",null,["REDACTED"],["REDACTED"]],"a":["b"]}"#,
            #"{"access\u005ftoken":"s3"}"#: #"{"access\u005ftoken":"REDACTED"}"#,
            #"{"access_token":"s3cr"#: #"{"access_token":"REDACTED"#,
        ]
        for (body, masked) in bodies {
            let lines = [body, masked].map { $0.replacing("|", with: "\n") }
            XCTAssertEqual(try replayed(lines[0]).text, lines[1])
        }
    }

    func testNumbersAndAllTextsInsideOfASecretAreMasked() throws {
        let bodies = [
            #"{"otp":123456,"n":1}|{"otp" : -1.5e3, "otps":[1]}"#: #"{"otp":0,"n":1}|{"otp" : 0, "otps":[1]}"#,
            #"{"otp":[12,[34],"s3"],"a":5}"#: #"{"otp":[0,[0],"REDACTED"],"a":5}"#,
            #"{"otp":123"#: #"{"otp":0"#,
            #"{"token":{"value":"s3cret-1","ttl":60,"ok":true,"x":{"y":["s3cret-2",{"z":"s3cret-3"}]}},"a":"b"}"#:
                #"{"token":{"value":"REDACTED","ttl":60,"ok":true,"x":{"y":["REDACTED",{"z":"REDACTED"}]}},"a":"b"}"#,
            #"{"credential":{"raw":"s3cret-11"}} s3cret-11"#: #"{"credential":{"raw":"REDACTED"}} s3cret-11"#,
            #"{"token":{"id":311,"text":" to"},"password":{"type":"string","description":"at least 8 characters"}}"#:
                #"{"token":{"id":311,"text":" to"},"password":{"type":"string","description":"at least 8 characters"}}"#,
            #"{"credential":[{"raw":"s3cret-4","otp":12},"s3"],"a":"b"}"#:
                #"{"credential":[{"raw":"REDACTED","otp":0},"REDACTED"],"a":"b"}"#,
            #"{"access_tokens":["s3"],"apiKeys":["s3"],"key":[{"a":"b"},"s3"]}"#:
                #"{"access_tokens":["REDACTED"],"apiKeys":["REDACTED"],"key":[{"a":"b"},"REDACTED"]}"#,
        ]
        for (body, masked) in bodies {
            let lines = [body, masked].map { $0.replacing("|", with: "\n") }
            XCTAssertEqual(try replayed(lines[0]).text, lines[1])
        }
    }

    /// Such members state a status, an identifier or settings.
    func testNamesThatAreNoSecretsWithANumberOrAnObjectStayClear() throws {
        for body in [
            #"{"error":{"code":404,"key":7},"session":12,"sid":3}"#,
            #"{"session":{"model":"m","expiresAt":"2026-01-01"},"code":{"type":"string"},"keys":[{"kid":"1"}]}"#,
            #"{"authentication":{"schemes":["basic"]},"authorizations":[{"id":"1"}],"tokens":12}"#,
        ] {
            XCTAssertEqual(try replayed(body).text, body)
        }
    }

    func testAReplayFindsARequestWhoseSecretsAreNumbersAndObjects() throws {
        func post(_ secret: Int) throws -> Request {
            let body = #"{"otp":\#(secret),"token":{"value":"s3cret-\#(secret)"},"pin":\#(secret)}"#
            return try Request(.post, "https://api.example/a", body: .bytes(Array(body.utf8)))
        }
        _ = try outcome(.record, post(123_456), ScriptedResponse(body: "1"), masking: ["pin"])
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("123456"))
        XCTAssertEqual(try outcome(.replay, post(98), masking: ["pin"])?.get().text, "1")
        _ = try outcome(.record, post(123_456), ScriptedResponse(body: "2"))
        XCTAssertEqual(try outcome(.replay, post(98), masking: ["pin"])?.get().text, "2", "it was in clear")
    }

    /// Such a body was recorded as bytes, in which nothing was masked.
    func testSecretsAreMaskedInATextThatIsNotUTF8() throws {
        let json = (#"{"access_token":"s3cret-1","name":"Andr"#, UInt8(0xE9), #""}"#)
        let events = (#"data: {"access_token":"s3cret-2","name":"Andr"#, UInt8(0xC3), "")
        let form = ("password=s3cret-3&name=Andr", UInt8(0xE9), "")
        func bytes(_ parts: (String, UInt8, String)) -> [UInt8] {
            Array(parts.0.utf8) + [parts.1] + Array(parts.2.utf8)
        }
        let get = try Request(.get, "https://api.example/a")
        let login = try Request(.post, "https://id.example/token", body: .form([("grant_type", "password")]))
        let post = try Request(
            .post, "https://api.example/a", headers: [.contentType: "application/x-www-form-urlencoded"],
            body: .bytes(bytes(form)))
        for (request, type, body) in [
            (get, "application/json; charset=x", json), (get, "text/event-stream", events), (login, "image/png", json),
            (post, "application/x-www-form-urlencoded", form),
        ] {
            _ = try outcome(.record, request, ScriptedResponse(headers: [.contentType: type], pieces: [bytes(body)]))
            let file = try String(contentsOfFile: path, encoding: .utf8)
            XCTAssertFalse(file.contains("s3cret") || file.contains("base64"), file)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testSecretsAreMaskedWhereverAndHoweverTheyAreWritten() throws {
        let request = try Request(
            .get, "https://api.example/a?access%5Ftoken=s3cret-11&page_token=page-two-1",
            headers: [.authorization: "Negotiate s3cret+/12=="])
        let headers: HTTPFields = [
            .location: "https://app.example/cb#access_token=s3cret-13&state=x", .contentType: "text/plain",
            .wwwAuthenticate: "Negotiate",
        ]
        let body = [
            "access%5Ftoken=s3cret-14", "a=s3cret%2B%2F12%3D%3D", #"{"registration_access_token":"s3cret-15"}"#,
            #"{"new_password":"s3cret-16","id_token_hint":"s3cret-17"}"#,
        ].joined(separator: "\n")
        _ = try outcome(.record, request, ScriptedResponse(headers: headers, body: body))
        let file = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertFalse(file.contains("s3cret"), file)
        XCTAssertTrue(file.contains("page_token=page-two-1"), "it is no secret")
        XCTAssertTrue(file.contains(#""name":"WWW-Authenticate","value":"Negotiate""#), file)
    }

    private static let secretAddresses = [
        "?return=https://x/?access_token=SECRET&page=2": "?return=https://x/?access_token=REDACTED&page=2",
        "?callback=https%3A%2F%2Fx%2F%3Faccess_token%3DSECRET%26page%3D2&b=c":
            "?callback=https%3A%2F%2Fx%2F%3Faccess_token%3DREDACTED%26page%3D2&b=c",
        "?a=%2fx%3fb%3dc%26access%255Ftoken%3dSECRET%2526": "?a=%2fx%3fb%3dc%26access%255Ftoken%3dREDACTED",
        "?a=%2Fx%3Fb%3D%252Fy%253Ftoken%253DSECRET%2526page%253D2%26c%3Dd":
            "?a=%2Fx%3Fb%3D%252Fy%253Ftoken%253DREDACTED%2526page%253D2%26c%3Dd",
        "?%2fecho%3Faccess_token%3DSECRET": "?%2fecho%3Faccess_token%3DREDACTED",
        "/%3Faccess_token%3DSECRET?page=2": "/%3Faccess_token%3DREDACTED?page=2",
        "?token=SECRET%26page%3D2?x&b=c": "?token=REDACTED&b=c",
    ]

    func testASecretOfAnyLengthIsMaskedInAURLThatIsAValue() throws {
        for (address, masked) in Self.secretAddresses {
            func request(_ secret: String) throws -> Request {
                let written = address.replacing("SECRET", with: secret)
                return try Request(
                    .post, "https://api.example/a\(written)",
                    headers: [
                        .referer: "https://web.example/b\(written)", .contentType: "application/x-www-form-urlencoded",
                    ],
                    body: .bytes(Array("x=1&u=https://x/\(written)".utf8)))
            }
            let response = ScriptedResponse(headers: [.location: "/c" + address.replacing("SECRET", with: "s3")])
            _ = try outcome(.record, request("s3"), response)
            let entry = try XCTUnwrap(HARDocument(at: path).log.entries.first)
            XCTAssertEqual(entry.request.url, "https://api.example/a" + masked)
            let referer = entry.request.headers.first { $0.name == "Referer" }
            XCTAssertEqual(referer?.value, "https://web.example/b" + masked)
            XCTAssertEqual(entry.request.postData?.text, "x=1&u=https://x/" + masked)
            XCTAssertEqual(entry.response.redirectURL, "/c" + masked)
            XCTAssertFalse("\(entry)".contains("s3"), "\(entry)")
            XCTAssertNoThrow(try XCTUnwrap(outcome(.replay, request("another-s3cret-of-8"))).get())
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testPasswordsInURLsAreMaskedWhereverTheyStand() throws {
        for (text, masked) in [
            "http://u:s3@x/|https://u:s3@x": "http://REDACTED@x/|https://REDACTED@x",
            #"{"remote":"https:\/\/u:s3\/@x"} {"a":"redis://:s3@x:6379/0"}"#:
                #"{"remote":"https:\/\/u:s3\/@x"} {"a":"redis://REDACTED@x:6379/0"}"#,
            #"{"remote":"https:\/\/u:s3@x\/a:b@c"}"#: #"{"remote":"https:\/\/REDACTED@x\/a:b@c"}"#,
            "a=http%3A%2F%2Fu%3As3%2540@x%40x%2Fb@c&b=c": "a=http%3A%2F%2FREDACTED%40x%2Fb@c&b=c",
            "https://ghp_0123456789abcdef@x https://u:a@s3@x": "https://REDACTED@x https://REDACTED@x",
            "https://me@x/a:b@c http://x:80/@a a:/u:b@c //u:b@c http://[::1]:80/?a=b@c":
                "https://me@x/a:b@c http://x:80/@a a:/u:b@c //u:b@c http://[::1]:80/?a=b@c",
            "https://u:s3": "https://u:s3", "https://u:s3cret-12@x s3cret-12": "https://REDACTED@x REDACTED",
            "http://x:80,a@b ['http://x:80','a@b'] <http://x:80|a@b> http://x:80，a@b a://long-name-alone-x@sha256:ab":
                "http://x:80,a@b ['http://x:80','a@b'] <http://x:80|a@b> http://x:80，a@b a://long-name-alone-x@sha256:ab",
        ] {
            let lines = [text, masked].map { $0.replacing("|", with: "\n") }
            XCTAssertEqual(try replayed(lines[0]).text, lines[1])
        }
    }

    func testSecretsInURLsOfAnyFieldAreMasked() throws {
        let request = try Request(.get, "https://api.example/a?b=http://u:s3@x/", headers: [.referer: "http://u:s3@x/"])
        let headers: HTTPFields = [
            .location: "http://u:s3@x/",
            HTTPField.Name("Link")!: #"<https://x/?token=s3&page=2>; rel="next", <http://u:s3@x/>"#,
            HTTPField.Name("Refresh")!: "0; url=http://x/?token=s3", .contentType: "text/html; charset=utf-8",
        ]
        _ = try outcome(.record, request, ScriptedResponse(headers: headers, body: "1"))
        let entry = try XCTUnwrap(HARDocument(at: path).log.entries.first)
        XCTAssertFalse("\(entry)".contains("s3"), "\(entry)")
        let link = entry.response.headers.first { $0.name == "Link" }?.value
        XCTAssertEqual(link, #"<https://x/?token=REDACTED&page=2>; rel="next", <http://REDACTED@x/>"#)
        XCTAssertEqual(try outcome(.replay, request)?.get().text, "1")
    }

    func testSecretsUnderNamesWithBracketsAreMasked() throws {
        let long = String(repeating: "Service", count: 12)
        for (text, masked) in [
            "user[email]=a&user[password]=s3cret-1&a[token][]=s3cret-1&b=c":
                "user[email]=a&user[password]=REDACTED&a[token][]=REDACTED&b=c",
            "user%5Bpassword%5D=s3cret-1&password[0]=s3cret-1": "user%5Bpassword%5D=REDACTED&password[0]=REDACTED",
            #"{"user[password]":"s3cret-1","password[hint]":"a"}"#:
                #"{"user[password]":"REDACTED","password[hint]":"a"}"#,
            "[token=s3cret-1] a=[token=s3cret-1] [0]=a []=b [1][2]=c":
                "[token=REDACTED] a=[token=REDACTED] [0]=a []=b [1][2]=c",
            "\(long)[token=s3cret-1] \(long)[a][password]=s3cret-1 headers[X-Auth-Token]=s3cret-1 \(long)token=a":
                "\(long)[token=REDACTED] \(long)[a][password]=REDACTED headers[X-Auth-Token]=REDACTED \(long)token=a",
        ] {
            XCTAssertEqual(try replayed(text).text, masked)
            let post = try Request(
                .post, "https://api.example/a", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: .bytes(Array(text.utf8)))
            _ = try outcome(.record, post, ScriptedResponse(body: "1"))
            if text.contains("&") {
                XCTAssertEqual(try HARDocument(at: path).log.entries.first?.request.postData?.text, masked)
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testValuesThatAreNoSecretsStayAsTheyAre() throws {
        for query in [
            "?a=1%26b%3D2&next=%2Fhome%3Fpage%3D2%23top&q=R%26D&c=a%25&d=%&e=%2525&f", "?q=key%3DABC-12345678",
            "/token=username1?x=1&&y#z?a=b", "?page_token=a%3Fb%3Dc", "?",
        ] {
            let request = try Request(.get, "https://api.example/a\(query)", headers: [.referer: "/b\(query)"])
            _ = try outcome(.record, request, ScriptedResponse(body: "1"))
            let entry = try XCTUnwrap(HARDocument(at: path).log.entries.first)
            XCTAssertEqual(entry.request.url, request.url.absoluteString)
            XCTAssertEqual(entry.request.headers.first { $0.name == "Referer" }?.value, "/b\(query)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testASecretInAnEncodedURLOfATextIsMaskedWhereverItIs() throws {
        let played = try replayed(#"<a href="/login?next=%2Fcb%3Ftoken%3Ds3cret%252F1">s3cret/1</a> s3cret%2F1"#)
        XCTAssertEqual(played.text, #"<a href="/login?next=%2Fcb%3Ftoken%3DREDACTED">REDACTED</a> REDACTED"#)
    }

    /// With a time that is quadratic in the text this test would take hours.
    func testTheTimeToFindNestedPairsIsLinear() throws {
        for piece in ["a=?", "%25", "%3F", "?token=", "%26key%3D", "=", "&", "a=%2525", "://@", "a://a", "[", "a]"] {
            let text = String(repeating: piece, count: 300_000 / piece.utf8.count)
            let mask = SecretMask([:], "https://api.example/?" + text, text, FurtherSecrets())
            XCTAssertFalse(mask.body(text, type: "application/x-www-form-urlencoded").isEmpty)
        }
    }

    func testATextThatIsNotUTF8AndHasNoSecretIsKeptByteForByte() throws {
        let body = Array("Andr".utf8) + [0xE9]
        let request = try Request(.get, "https://api.example/a")
        _ = try outcome(.record, request, ScriptedResponse(headers: [.contentType: "text/plain"], pieces: [body]))
        XCTAssertEqual(try outcome(.replay, request)?.get().body, body)
    }

    func testAReplayDistinguishesLongNumbers() throws {
        func post(_ number: String) throws -> Request {
            try Request(.post, "https://api.example/a", body: .bytes(Array(#"{"id":\#(number)}"#.utf8)))
        }
        _ = try outcome(.record, try post("1234567890123456789"), ScriptedResponse(body: "1"))
        XCTAssertThrowsError(try outcome(.replay, try post("1234567890123456788"))?.get())
        XCTAssertEqual(try outcome(.replay, try post("1234567890123456789"))?.get().text, "1")
    }
}
