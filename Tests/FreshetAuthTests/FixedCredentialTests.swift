import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class FixedCredentialTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }

    /// Sends requests to the given URLs, and returns them as they went out, with the error of the last one.
    private func send(
        _ urls: String..., headers: HTTPFields = [:], by credential: FixedCredential,
        from script: (StubTransport) -> Void = { $0.route { _ in ScriptedResponse() } }
    ) throws -> (sent: [RecordedRequest], error: HTTPClientError?) {
        let transport = StubTransport(scheduler: scheduler)
        script(transport)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [credential])
        let failure = Locked<HTTPClientError?>(nil)
        for url in urls {
            let subscription = client.get(url, headers: headers).subscribe { result in
                if case .failure(let error) = result { failure.withLock { $0 = error as? HTTPClientError } }
            }
            scheduler.start()
            subscription.dispose()
        }
        return (transport.requests, failure.withLock { $0 })
    }

    /// A `UUID` would be the same for both.
    func testCredentialsThatAreMadeWhileNoDescriptorIsLeftAreOfDifferentAccounts() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        var none = limit
        none.rlim_cur = 0
        let origin = try Origin("https://a")
        setrlimit(resource, &none)
        let keys = ["k1", "k2"].map { FixedCredential.apiKey($0, query: "key", origins: [origin]) }
        setrlimit(resource, &limit)
        let request = try Request(.get, "https://a/")
        let accounts = keys.compactMap { key in
            if case .ready(let account?) = key.account(of: request) { account } else { nil }
        }
        XCTAssertEqual(Set(accounts).count, 2)
    }

    func testTheHeadOfAnErrorIsNotHeldBackForTheCredential() throws {
        let basic = try FixedCredential.basic(user: "ada", password: "p", origins: [Origin("https://a")])
        let request = try Request(.get, "https://a/")
        XCTAssertEqual(basic.peek(at: HTTPResponse(status: .notFound), of: request), .nothing)
    }

    func testBasicIsSentToItsOriginsOnly() throws {
        let basic = try FixedCredential.basic(
            user: "Aladdin", password: "open sesame", origins: [Origin("https://a")])
        let sent = try send("https://a/x", "https://b/", by: basic).sent
        // The example of RFC 7617 section 2.
        XCTAssertEqual(sent.map { $0.headers[.authorization] }, ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", nil])
        let text = try FixedCredential.basic(user: "test", password: "123\u{A3}", origins: [Origin("https://a")])
        // The example of RFC 7617 section 2.1.
        XCTAssertEqual(try send("https://a/", by: text).sent[0].headers[.authorization], "Basic dGVzdDoxMjPCow==")
    }

    func testABearerTokenIsSentToItsOriginsOnly() throws {
        let bearer = try FixedCredential.bearer("abc.def", origins: [Origin("https://a")])
        let sent = try send("https://a/x", "https://b/", by: bearer).sent
        XCTAssertEqual(sent.map { $0.headers[.authorization] }, ["Bearer abc.def", nil])
        for token in ["", "a b", "a\r\nX: 1", "ä"] {
            XCTAssertThrowsError(try FixedCredential.bearer(token, origins: [])) {
                XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest)
            }
        }
    }

    func testARedirectToAnotherOriginCarriesNoCredential() throws {
        let key = try FixedCredential.apiKey("k", field: "X-Api-Key", origins: [Origin("https://a")])
        let sent = try send("https://a/", by: key) { transport in
            transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "https://b/"]))
            transport.enqueue(ScriptedResponse())
        }.sent
        XCTAssertEqual(sent.map { $0.headers[.init("X-Api-Key")!] }, ["k", nil])
    }

    func testAKeyInTheQueryIsEncodedAndAddedOnce() throws {
        let key = FixedCredential.apiKey("a&b", query: "key", origins: [try Origin("https://a")])
        let sent = try send("https://a/p", "https://a/p?q=1", "https://a/p?key=own", "https://a/p?keys=1", by: key).sent
        XCTAssertEqual(
            sent.map(\.target), ["/p?key=a%26b", "/p?q=1&key=a%26b", "/p?key=own", "/p?keys=1&key=a%26b"])
    }

    func testARequestWithTheFieldAlreadySetKeepsIt() throws {
        let basic = try FixedCredential.basic(user: "u", password: "p", origins: [Origin("https://a")])
        let sent = try send("https://a/", headers: [.authorization: "Bearer own"], by: basic).sent
        XCTAssertEqual(sent[0].headers[.authorization], "Bearer own")
    }

    func testTheCredentialIsNotSentOverPlainHTTPUnlessThatIsAllowed() throws {
        let origins: Set = [try Origin("http://a"), try Origin("http://127.0.0.1")]
        let refused = try send("http://a/", by: FixedCredential.basic(user: "u", password: "p", origins: origins))
        XCTAssertEqual(refused.sent.count, 0)
        XCTAssertEqual(refused.error?.code, .invalidRequest)
        let allowed = try FixedCredential.basic(user: "u", password: "p", origins: origins, allowsPlainHTTP: true)
        XCTAssertEqual(try send("http://a/", by: allowed).sent.count, 1)
    }

    func testACredentialThatHTTPForbidsIsRefusedWithoutNamingTheSecret() throws {
        for make in [
            { try FixedCredential.basic(user: "a:b", password: "s3cret", origins: []) },
            { try FixedCredential.basic(user: "a", password: "s3cret\n", origins: []) },
            { try FixedCredential.apiKey("s3cret\r\n", field: "X-Key", origins: []) },
            { try FixedCredential.apiKey("s3cret", field: "X Key", origins: []) },
            { try FixedCredential.apiKey("", field: "X-Key", origins: []) },
        ] {
            XCTAssertThrowsError(try make()) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
                XCTAssertFalse("\(error)".contains("s3cret"))
            }
        }
    }

    func testNoDumpContainsTheSecret() throws {
        let key = try FixedCredential.apiKey("s3cret", field: "X-Key", origins: [Origin("https://a")])
        var dumped = ""
        dump(key, to: &dumped)
        XCTAssertFalse((dumped + "\(key)" + String(reflecting: key)).contains("s3cret"))
    }

    /// The field of the request replaces the credential, and a cache does not know whose it is.
    func testARequestWithAnotherValueOfItsOwnBelongsToNoKnownAccount() throws {
        let key = try FixedCredential.apiKey("1", field: "X-Key", origins: [Origin("https://a")])
        for (value, isKnown) in [("1", true), ("2", false)] {
            let request = try Request(.get, "https://a/", headers: [HTTPField.Name("X-Key")!: value])
            guard case .ready(let account?) = key.account(of: request) else { return XCTFail("no account") }
            XCTAssertEqual(account.loginID != nil, isKnown, value)
        }
    }

    func testTwoCredentialsBelongToTwoAccounts() throws {
        let first = FixedCredential.apiKey("1", query: "k", origins: [try Origin("https://a")])
        let second = FixedCredential.apiKey("1", query: "k", origins: [try Origin("https://a")])
        func account(_ credential: FixedCredential, _ url: String) throws -> RequestAccount? {
            guard case .ready(let account) = credential.account(of: try Request(.get, url)) else { return nil }
            return account
        }
        XCTAssertNotNil(try account(first, "https://a/"))
        XCTAssertEqual(try account(first, "https://a/"), try account(first, "https://a/x"))
        XCTAssertNotEqual(try account(first, "https://a/"), try account(second, "https://a/"))
        XCTAssertNil(try account(first, "https://b/"))
    }

    /// A random account of each object meant that no response on disk was found by the next process.
    func testACredentialInAuthorizationIsToldApartByItsValue() throws {
        let basic = try FixedCredential.basic(user: "ada", password: "s3cret", origins: [Origin("https://a")])
        guard case .unstated = basic.account(of: try Request(.get, "https://a/")) else { return XCTFail("stated") }
        guard case .ready(nil) = basic.account(of: try Request(.get, "https://b/")) else { return XCTFail("another") }
    }
}
