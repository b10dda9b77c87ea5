import Foundation
import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that a recording masks what an interceptor placed on a request, whatever the names are.
final class PlacedSecretsTests: RecordingTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// The file after one request.
    private func recorded(
        _ request: Request, by interceptor: any RequestInterceptor, masking names: Set<String> = [],
        _ response: ScriptedResponse = ScriptedResponse(body: "ok")
    ) throws -> String {
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(response)
        let recording = try HTTPRecording(
            at: path, mode: .record, masking: names, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [recording], interceptors: [interceptor])
        let subscription = client.send(request).subscribe { _ in }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        XCTAssertEqual(server.requestCount, 1)
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func gate(_ authenticator: any Authenticator) throws -> AuthenticationInterceptor {
        let store = MemoryStore(Credential(accessToken: "s3cret-access", refreshToken: "s3cret-refresh"))
        return AuthenticationInterceptor(
            authenticator: authenticator, store: store, origins: [try Origin("https://api.example")],
            scheduler: scheduler)
    }

    func testTheTokensOfAGateAreMaskedInFieldsOfAnyName() throws {
        let names = try ["X-Acme-Access", "X-Acme-Refresh", "X-Acme-Place"].map {
            try XCTUnwrap(HTTPField.Name($0))
        }
        let authenticator = ClosureAuthenticator(
            placement: .fields(access: names[0], refresh: names[1], headers: [names[2]: "s3cret-place"])
        ) { _ in .never() }
        let text = try recorded(
            Request(.get, "https://api.example/a", headers: [.init("X-Trace")!: "trace-1"]), by: gate(authenticator),
            ScriptedResponse(body: "echo of s3cret-access"))
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertTrue(text.contains("X-Acme-Access") && text.contains("trace-1"), text)
    }

    func testTheTokenOfAnOwnAuthenticatorIsMaskedInTheQueryToo() throws {
        let text = try recorded(Request(.get, "https://api.example/a?page=12"), by: gate(QueryAuthenticator()))
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertTrue(text.contains("acme=REDACTED") && text.contains("page=12"), text)
    }

    func testTheTokensOfARefreshAreMaskedUnderTheNamesOfItsEndpoint() throws {
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(.json(#"{"data": {"at": "s3cret-new", "rt": ["s3cret-next"], "ttl": 3600}}"#))
        let recording = try HTTPRecording(at: path, mode: .record, scheduler: scheduler, secondsSince1970: { 0 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        let authenticator = try ProfileAuthenticator(
            endpoint: .init(
                url: RequestURL("https://id.example/renew"), headers: [.init("X-Acme")!: "old {refresh_token}"],
                json: .object(["a": .object(["old": .array([.string("{refresh_token}")])]), "b": .string("plain")]),
                accessToken: JSONPointer("/data/at"), refreshToken: JSONPointer("/data/rt/0"),
                expiresIn: JSONPointer("/data/ttl")),
            client: client, secondsSince1970: { 0 })
        let renewed = Locked<Credential?>(nil)
        let old = Credential(accessToken: "s3cret-access", refreshToken: "s3")
        let subscription = authenticator.refresh(old).subscribe { result in
            renewed.withLock { $0 = try? result.get() }
        }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        XCTAssertEqual(renewed.withLock { $0?.accessToken }, "s3cret-new")
        XCTAssertEqual(renewed.withLock { $0?.refreshToken }, "s3cret-next")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertFalse(text.contains("s3"), text)
        XCTAssertFalse(text.contains("plain"), "the whole request is masked: \(text)")
        XCTAssertTrue(text.contains("3600"), text)
    }

    func testOtherFieldsOfAGateAreMaskedInTheRequestAlone() throws {
        let authenticator = ClosureAuthenticator(
            placement: .authorization(scheme: "", headers: [.init("X-Name")!: "cli", .accept: "application/json"])
        ) { _ in .never() }
        let text = try recorded(
            Request(.get, "https://api.example/a"), by: gate(authenticator),
            .json(#"{"name":"Ada","seen":"s3cret-access"}"#))
        XCTAssertTrue(text.contains("Ada") && text.contains("application/json"), text)
        XCTAssertFalse(text.contains("s3cret"), text)
    }

    func testAnAPIKeyIsMaskedUnderAnyName() throws {
        let origins: Set = [try Origin("https://api.example")]
        for key in [
            try FixedCredential.apiKey("s3cret-1", field: "X-Acme", origins: origins),
            FixedCredential.apiKey("s3cret-2", query: "acme", origins: origins),
        ] {
            let text = try recorded(Request(.get, "https://api.example/a"), by: key)
            XCTAssertFalse(text.contains("s3cret"), text)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testTheUsualNamesOfSecretsAreMaskedInFieldsQueriesAndJSON() throws {
        let names = [
            "DD-API-KEY", "DD-APPLICATION-KEY", "X-Shopify-Access-Token", "X-Gitlab-Token", "X-Figma-Token",
            "X-Auth-Key", "X-Api-Token", "Api-Token", "Circle-Token", "X-Functions-Key", "Token", "private_token",
            "api_token", "oauth_token", "bearer_token", "secret_key", "access_key", "csrf_token", "otp", "passphrase",
            "Authorization", "Proxy-Authorization", "X-Vault-Token", "clientSecret", "X-Amz-Signature",
            "X-RapidAPI-Key", "xi-api-key", "Cf-Access-Jwt-Assertion", "X-Serverless-Authorization", "Authentication",
            "X-Aws-Ec2-Metadata-Token", "access_tokens", "apiKeys", "passwords", "SecretAccessKey",
            "aws_secret_access_key", "stripe_secret_key", "clientPrivateKey", "aws_session_token",
        ]
        // A value that is found once is masked everywhere, so each place has its own.
        let numbered = zip(names, 100...)
        let json = try JSONValue.object(
            Dictionary(uniqueKeysWithValues: numbered.map { ($0, .string("s3cret-a\($1)")) })
        ).encoded()
        let query = numbered.map { "\($0)=s3cret-b\($1)" }.joined(separator: "&")
        var headers = HTTPFields()
        for (name, number) in numbered {
            headers.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(name)), value: "s3cret-c\(number)"))
        }
        let text = try recorded(
            Request(.post, "https://api.example/a?\(query)", headers: headers, body: .bytes(json)), by: Plain())
        XCTAssertEqual(text.matches(of: #/.{0,40}s3cret[-a-z0-9]*/#).map { String($0.output) }, [])
    }

    func testFurtherNamesAreMaskedInFieldsQueriesAndJSON() throws {
        let request = try Request(
            .post, "https://api.example/a?user_pin=s3cret-1", headers: [.init("User-Pin")!: "s3cret-2"],
            body: .bytes(Array(#"{"userPin":"s3cret-3"}"#.utf8)))
        let text = try recorded(request, by: Plain(), masking: ["user-pin"])
        XCTAssertFalse(text.contains("s3cret"), text)
    }

    func testFurtherTextsAreMaskedWhereverTheyOccur() throws {
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(
            .json(
                #"{"name":"s3cret-text","a":"s3","b":"s3cret \"of\" two","c":"production","id":12345678}"#))
        let texts: Set = ["s3cret-text", #"s3cret "of" two"#, "tenant=production", "12345678"]
        let recording = try HTTPRecording(
            at: path, mode: .record, texts: texts, scheduler: scheduler, secondsSince1970: { 0 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        let request = try Request(
            .get, "https://api.example/s3cret-text?q=s3cret-text", headers: ["X-A": "s3cret-text"])
        _ = client.send(request).subscribe { _ in }
        scheduler.advanceBy(60_000)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertTrue(text.contains(#"\"a\":\"s3\""#), text)
        XCTAssertTrue(text.contains(#"\"c\":\"production\",\"id\":12345678"#), "a part of a text, or a number: \(text)")
    }

    func testASecretOfTheFieldsOfAResponseIsMaskedInItsBody() throws {
        let text = try recorded(
            Request(.get, "https://api.example/a"), by: Plain(),
            ScriptedResponse(headers: [.init("X-Auth-Token")!: "s3cret-token"], body: "it is s3cret-token"))
        XCTAssertFalse(text.contains("s3cret"), text)
    }

    /// Servers repeat the identifier of a session in the addresses that they send.
    func testASecretInAParameterOfAPathIsMasked() throws {
        let text = try recorded(
            Request(.get, "https://api.example/a;v=1;JSESSIONID=s3cret-a/b;jsessionid=s3cret-b?page=12;x=3"),
            by: Plain(),
            ScriptedResponse(headers: [.contentLocation: "/c;jsessionid=s3cret-c#top", .location: "/d;v=1"]))
        XCTAssertFalse(text.contains("s3cret"), text)
        for part in [
            "/a;v=1;JSESSIONID=REDACTED/b;jsessionid=REDACTED?page=12;x=3", "/c;jsessionid=REDACTED#top", "/d;v=1",
        ] {
            XCTAssertTrue(text.contains(part), text)
        }
    }

    func testAllCookiesAreRecordedAsOneField() throws {
        var request = try Request(.get, "https://api.example/a")
        request.headers[.cookie] = "a=s3cret-aa; b=s3cret-bb"
        let text = try recorded(request, by: Plain())
        XCTAssertEqual(text.matches(of: #/"Cookie"/#).count, 1, text)
    }
}

private struct Plain: RequestInterceptor {}

/// Places the token in the query, as some servers want it.
private struct QueryAuthenticator: Authenticator {
    func refresh(_ credential: Credential?) -> Single<Credential> { .never() }

    func apply(_ credential: Credential, to request: Request) -> Request {
        var request = request
        request.url = request.url.appending(query: ["acme": credential.accessToken])
        return request
    }
}
