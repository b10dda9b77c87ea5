import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which login a stored response belongs to. hishel, CacheControl and requests-cache return one token's response to
/// another token.
final class CacheAccountTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func scripted(
        _ lines: String = "Cache-Control: max-age=100", interceptors: [any RequestInterceptor] = []
    ) -> CacheBench {
        let bench = CacheBench(interceptors: interceptors)
        for number in 1...4 { bench.script(.ok, lines, #"ETag: "e""#, body: "\(number)") }
        return bench
    }

    func testEachLoginHasItsOwnResponses() throws {
        let bench = scripted()
        bench.logIn("a1", id: "anna")
        XCTAssertEqual(try bench.send().body, "1")
        bench.logIn("b1", id: "bert")
        XCTAssertEqual(try bench.send().body, "2")
        bench.logOut()
        XCTAssertEqual(try bench.send().body, "3")
        bench.logIn("a1", id: "anna")
        XCTAssertEqual(try bench.send().body, "1")
    }

    /// src-d/lookout#124: each refresh emptied the cache, and `Vary: Authorization` never matched.
    func testARotatedTokenUsesTheResponsesOfItsLogin() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100", "Vary: Authorization")
        bench.logIn("a1", id: "anna")
        try bench.send()
        bench.logIn("a2", id: "anna")
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit")
        XCTAssertEqual(bench.requestCount, 1)
    }

    /// Such a refusal would be served to the request with the renewed token too.
    func testARefusalOfACredentialIsNotStored() throws {
        for status in [
            HTTPResponse.Status.unauthorized, .forbidden, .init(code: 419), .badRequest, .internalServerError,
        ] {
            let bench = CacheBench()
            bench.logIn("a1", id: "anna")
            bench.script(status, "Cache-Control: max-age=100")
            bench.script(.ok, body: "2")
            try bench.send()
            XCTAssertEqual(try bench.send().body, "2", "\(status)")
        }
    }

    /// Kinto/kinto#635: the first user's ETag was sent for the second, and the 304 delivered the first user's body.
    func testValidatorsAreNotSentForAnotherLogin() throws {
        let bench = scripted("Cache-Control: max-age=1")
        bench.logIn("a1", id: "anna")
        try bench.send()
        bench.pass(10)
        bench.logIn("b1", id: "bert")
        try bench.send()
        XCTAssertNil(bench.server.requests[1].headers[.ifNoneMatch])
    }

    func testTheResponsesOfALoginWithoutAnIdentifierAreNotStored() throws {
        let bench = scripted()
        bench.logIn("a1", id: nil)
        XCTAssertNil(try bench.send().from)
        XCTAssertEqual(try bench.send().body, "2")
    }

    func testEachExplicitAuthorizationHasItsOwnResponses() throws {
        let bench = scripted()
        XCTAssertEqual(try bench.send(.get, "/a", [.authorization: "Basic one"]).body, "1")
        XCTAssertEqual(try bench.send(.get, "/a", [.authorization: "Basic two"]).body, "2")
        XCTAssertEqual(try bench.send().body, "3")
        XCTAssertEqual(try bench.send(.get, "/a", [.authorization: "Basic one"]).body, "1")
    }

    func testEachExplicitCookieHasItsOwnResponses() throws {
        let bench = scripted()
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=one"]).body, "1")
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=two"]).body, "2")
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=one"]).body, "1")
    }

    /// Source: RFC 9110, section 5.1.
    func testTheCaseOfAFieldNameSeparatesNobody() throws {
        for names in [["Authorization", "authorization"], ["Cookie", "cookie"]] {
            let bench = scripted()
            for name in names + names {
                let field = HTTPField(name: try XCTUnwrap(HTTPField.Name(name)), value: "Basic one")
                XCTAssertEqual(try bench.send(.get, "/a", HTTPFields([field])).body, "1", name)
            }
        }
    }

    func testTheCredentialsOfAnInterceptorThatStatesNoAccountAreSeparated() throws {
        struct Bearer: RequestInterceptor {
            let token: Locked<String?>

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.authorization] = token.withLock { $0 }.map { "Bearer \($0)" }
                return .ready
            }
        }
        let token = Locked<String?>(nil)
        let bench = scripted(interceptors: [Bearer(token: token)])
        for (name, body) in [("ada", "1"), ("bob", "2"), (nil, "3"), ("ada", "1"), (nil, "3")] {
            token.withLock { $0 = name }
            XCTAssertEqual(try bench.send().body, body, name ?? "nobody")
        }
    }

    /// A key of the application says nothing about the user, whose own fields are on the request.
    func testTheFieldsOfARequestSeparateTheUsersOfOneLogin() throws {
        let bench = scripted()
        bench.logIn("app", id: "app")
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=ada"]).body, "1")
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=bob"]).body, "2")
        XCTAssertEqual(try bench.send(.get, "/a", [.cookie: "session=ada"]).body, "1")
    }

    func testAnInterceptorThatStatesNoAccountSeparatesTheUsersOfALogin() throws {
        struct User: RequestInterceptor {
            let name: Locked<String?>

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.cookie] = name.withLock { $0 }.map { "session=\($0)" }
                return .ready
            }
        }
        let name = Locked<String?>("ada")
        let bench = scripted(interceptors: [User(name: name)])
        bench.logIn("app", id: "app")
        for (user, body) in [("ada", "1"), ("bob", "2"), ("ada", "1")] {
            name.withLock { $0 = user }
            XCTAssertEqual(try bench.send().body, body, user)
        }
    }

    func testTheSessionsOfAJarAreSeparated() throws {
        let url = try RequestURL("http://a.example/")
        for login in [nil, "app"] {
            let jar = CookieJar()
            let bench = scripted(interceptors: [jar])
            if let login { bench.logIn(login, id: login) }
            for (session, body) in [("ada", "1"), ("bob", "2"), ("ada", "1")] {
                jar.store([.setCookie: "session=\(session)"], from: url)
                XCTAssertEqual(try bench.send().body, body, session)
            }
            jar.remove()
            XCTAssertEqual(try bench.send().body, "3")
        }
    }

    func testNothingIsStoredIfTheLoginHasLostItsIdentifierBeforeTheRequestIsSent() throws {
        struct Changing: RequestInterceptor {
            let asked = Locked(0)

            func account(of request: Request) -> AccountResolution {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                return .ready(RequestAccount(loginID: count % 2 == 1 ? "anna" : nil))
            }
        }
        let bench = scripted(interceptors: [Changing()])
        XCTAssertEqual(try bench.send().body, "1")
        XCTAssertEqual(try bench.send().body, "2")
    }

    func testAFailureIsNotReplacedByTheResponseOfAnEarlierLogin() throws {
        struct Changing: RequestInterceptor {
            let login = Locked("anna")
            let next = Locked<String?>(nil)

            func account(of request: Request) -> AccountResolution {
                .ready(RequestAccount(loginID: login.withLock { $0 }))
            }

            func adapt(_ request: inout Request) -> Adaptation {
                if let next = next.withLock({ $0.take() }) { login.withLock { $0 = next } }
                return .ready
            }
        }
        let changing = Changing()
        let bench = CacheBench(interceptors: [changing])
        bench.script(.ok, "Cache-Control: max-age=1, stale-if-error=60")
        bench.server.enqueue(.failure(.connect, in: .connecting))
        try bench.send()
        bench.pass(10)
        changing.next.withLock { $0 = "bert" }
        let outcome = try bench.send()
        XCTAssertNil(outcome.from)
        XCTAssertEqual(outcome.error?.code, .connect)
    }

    func testASuccessfulUnsafeRequestInvalidatesTheResponsesOfAllAccounts() throws {
        let bench = scripted()
        bench.logIn("a1", id: "anna")
        try bench.send()
        bench.logIn("b1", id: "bert")
        try bench.send(.delete)
        bench.logIn("a1", id: "anna")
        XCTAssertEqual(try bench.send().from, "miss")
    }

    func testVaryIsComparedWithTheFinalRequest() throws {
        struct Language: RequestInterceptor {
            let language: Locked<String?>

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.acceptLanguage] = language.withLock { $0 }
                return .ready
            }
        }
        let language = Locked<String?>("en")
        let bench = CacheBench(interceptors: [Language(language: language)])
        for number in 1...4 {
            bench.script(.ok, "Cache-Control: max-age=100", "Vary: accept-language", body: "\(number)")
        }
        XCTAssertEqual(try bench.send().body, "1")
        language.withLock { $0 = "de" }
        XCTAssertEqual(try bench.send().body, "2")
        language.withLock { $0 = nil }
        XCTAssertEqual(try bench.send().body, "3")
        for (value, body) in [("en", "1"), ("de", "2"), (nil, "3"), (" en ", "1")] {
            language.withLock { $0 = value }
            XCTAssertEqual(try bench.send().body, body)
        }
        XCTAssertEqual(bench.requestCount, 3)
    }

    func testAcceptLanguageIsComparedWithoutCase() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100", "Vary: Accept-Language, X-Case")
        bench.script(.ok, body: "2")
        let name = HTTPField.Name("X-Case")!
        try bench.send(.get, "/a", [.acceptLanguage: "en, de", name: "x"])
        XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: "eN,  De", name: "x"]).body, "1")
        XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: "en, de", name: "X"]).body, "2")
    }

    func testAResponseThatVariesByEverythingIsNotStored() throws {
        for vary in ["*", "*, X", "X, *"] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=100", "Vary: \(vary)")
            bench.script(.ok, "Cache-Control: max-age=100")
            try bench.send()
            XCTAssertEqual(try bench.send().from, "miss", vary)
        }
    }

    /// A hit must not set the old cookie of its stored response again.
    func testInterceptorsReceiveNoHit() throws {
        final class Jar: RequestInterceptor {
            let heads = Locked<[Int]>([])

            func received(_ head: HTTPResponse, for request: Request) { heads.withLock { $0.append(head.status.code) } }
        }
        let jar = Jar()
        let bench = CacheBench(interceptors: [jar])
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#, "Set-Cookie: a=1")
        bench.script(.notModified, "Cache-Control: max-age=100")
        try bench.send()
        try bench.send()
        bench.pass(10)
        try bench.send()
        XCTAssertEqual(jar.heads.withLock { $0 }, [200, 304])
    }

    func testNoDescriptionOfAnAccountHasACredential() throws {
        let request = try Request(.get, "http://a/", headers: [.authorization: "Basic secret", .cookie: "s=secret"])
        let accounts = [nil, RequestAccount(loginID: "secret")]
        var dumped = ""
        for account in accounts {
            let key = PartitionKey(account, of: request)
            dumped += "\(key as Any) \(account as Any)"
            dump(key, to: &dumped)
            dump(account, to: &dumped)
        }
        XCTAssertFalse(dumped.contains("secret"), dumped)
    }
}
