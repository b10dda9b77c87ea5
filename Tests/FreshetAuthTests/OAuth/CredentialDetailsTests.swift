import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import XCTest

@testable import FreshetAuth

/// zitadel/oidc#907: decoding one member of the response into a type lost the others.
final class CredentialDetailsTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAllMembersOfATokenResponseAreKept() throws {
        let bench = OAuthBench()
        let response = ScriptedResponse.json(
            """
            {"access_token":"a2","refresh_token":"r2","token_type":"Bearer","expires_in":60,"scope":"read write",
             "id_token":"e.y.J","refresh_expires_in":1800,"instance_url":"https://x.example","authed_user":{"id":7}}
            """)
        let credential = try bench.refresh(response, by: bench.authenticator { $0.issuer = "https://id.example" })?
            .get()
        let details = try XCTUnwrap(credential?.details)
        XCTAssertEqual(details.scope, "read write")
        XCTAssertEqual(details.idToken, "e.y.J")
        XCTAssertEqual(details.refreshExpiresAt, 2800)
        XCTAssertEqual(details.issuer, "https://id.example")
        XCTAssertEqual(
            details.extra,
            [
                "token_type": .string("Bearer"), "instance_url": .string("https://x.example"),
                "authed_user": .object(["id": .number(7)]),
            ])
        for text in ["\(credential as Any)", String(reflecting: credential)] {
            for secret in ["e.y.J", "a2", "r2"] { XCTAssertFalse(text.contains(secret), text) }
        }
    }

    func testTheExpiryMembersOfGitHubAndKeycloakAreRead() throws {
        let bench = OAuthBench()
        let cases: [(String, Double?)] = [
            (#""refresh_token_expires_in":50"#, 1050), (#""refresh_expires_in":0"#, nil),
        ]
        for (member, end) in cases {
            let credential = try bench.refresh(.json(#"{"access_token":"a2",\#(member)}"#))?.get()
            XCTAssertEqual(credential?.details.refreshExpiresAt, end)
            XCTAssertEqual(credential?.details.extra, [:])
        }
    }

    /// A profile or a program can be changed to another server, and keep its store.
    func testARefreshTokenIsNotSentToAnotherIssuer() throws {
        var credential = pair(1)
        for (issuer, isSent) in [("https://id.example/", true), ("https://other.example", false), (nil, true)] {
            credential.details.issuer = issuer
            let bench = OAuthBench()
            let refreshing = try bench.refresh(
                .json(#"{"access_token":"a2"}"#), of: credential,
                by: bench.authenticator { $0.issuer = "https://id.example" })
            XCTAssertEqual(bench.server.requestCount, isSent ? 1 : 0, "\(issuer ?? "none")")
            if case .failure(let error)? = refreshing { XCTAssertTrue(error is RefreshRefusal) }
        }
    }

    func testMembersThatARefreshDoesNotRepeatAreKept() throws {
        var earlier = pair(1)
        earlier.details.scope = "read"
        earlier.details.idToken = "old"
        earlier.details.loginID = "login"
        earlier.details.refreshExpiresAt = 5000
        earlier.details.extra = ["tenant": .string("t"), "plan": .string("old")]
        var response = Credential(accessToken: "a2")
        response.details.idToken = "new"
        response.details.extra = ["plan": .string("new")]
        let kept = response.keeping(StoredCredential(credential: earlier, version: 3)).details
        XCTAssertEqual(kept.scope, "read")
        XCTAssertEqual(kept.idToken, "new")
        XCTAssertEqual(kept.loginID, "login")
        XCTAssertEqual(kept.refreshExpiresAt, 5000)
        XCTAssertEqual(kept.extra, ["tenant": .string("t"), "plan": .string("new")])
    }

    func testARecordKeepsAllDetailsAndOldRecordsAreReadable() throws {
        var credential = pair(1)
        credential.expiresAt = 1000
        credential.details.scope = "read"
        credential.details.idToken = "i"
        credential.details.refreshExpiresAt = 9000
        credential.details.issuer = "https://id.example"
        credential.details.loginID = "l"
        credential.details.proofKey = "k"
        credential.details.extra = ["a": .array([.number(1), .null])]
        let stored = StoredCredential(
            credential: credential, version: .max, foreignMembers: ["note": .string("mine"), "n": .number(1)])
        let read = try XCTUnwrap(StoredCredential(json: stored.json(clockAheadBy: 7), clockAheadBy: 7))
        XCTAssertEqual(read, stored)
        XCTAssertEqual(read.credential?.details, credential.details)
        XCTAssertEqual(read.foreignMembers, stored.foreignMembers)
        let ahead = try XCTUnwrap(StoredCredential(json: stored.json(clockAheadBy: 7)))
        XCTAssertEqual(ahead.credential?.expiresAt, 1007)
        XCTAssertEqual(ahead.credential?.details.refreshExpiresAt, 9007)
        let old = StoredCredential(json: Array(#"{"access_token":"a","expires_at":5.5,"version":2}"#.utf8))
        XCTAssertEqual(old?.credential, Credential(accessToken: "a", expiresAt: 5.5, generation: 2))
        XCTAssertEqual(old?.credential?.details, CredentialDetails())
    }

    /// The pair of a refresh is written, whatever else the response has.
    func testAMemberThatIsNestedTooDeepToBeStoredDoesNotCostTheTokens() throws {
        for depth in [509, 511] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let response = #"{"access_token":"a2","refresh_token":"r2","x":\#(deep)}"#
            let credential = try XCTUnwrap(OAuthBench().refresh(.json(response))?.get())
            let stored = try StoredCredential(credential: credential, version: 2).json()
            let read = try XCTUnwrap(StoredCredential(json: stored), "\(depth)")
            XCTAssertEqual(read.credential?.refreshToken, "r2")
            XCTAssertEqual(read.credential?.details.extra.isEmpty, depth > 509, "\(depth)")
        }
    }

    func testMembersWhoseNamesChangeDoNotFillTheStore() {
        var credential = pair(1)
        for number in 1...300 {
            var response = pair(number)
            response.details.extra = ["trace-\(number)": .null, "tenant": .string("t")]
            credential = response.keeping(StoredCredential(credential: credential, version: number))
        }
        XCTAssertLessThanOrEqual(credential.details.extra.count, 100)
        XCTAssertEqual(credential.details.extra["tenant"], .string("t"))
        XCTAssertEqual(credential.details.extra["trace-300"], .null)
    }

    /// Other programs can have members of the same names, and numbers that no `Double` holds.
    func testMembersOfAnotherProgramDoNotMakeTheTokensUnreadable() throws {
        for members in [
            #""scope":["x"]"#, #""extra":[1]"#, #""extra":{"n":1e400}"#, #""n":1e400"#, #""n":[{"m":-1e999}]"#,
            #""refresh_expires_at":"soon""#, #""session_id":5"#,
        ] {
            let json = #"{"access_token":"a","refresh_token":"r","version":3,"note":"mine",\#(members)}"#
            let read = try XCTUnwrap(StoredCredential(json: Array(json.utf8)), members)
            let credential = Credential(accessToken: "a", refreshToken: "r")
            XCTAssertEqual(read, StoredCredential(credential: credential, version: 3))
            XCTAssertEqual(read.foreignMembers, ["note": .string("mine")])
        }
        XCTAssertNil(StoredCredential(json: Array(#"{"access_token":["a"]}"#.utf8)))
    }

    func testUnknownMembersSurviveLoginRefreshAndLogout() throws {
        let bench = OAuthBench()
        let store = MemoryStore()
        let lease = try XCTUnwrap(bench.result(store.lock())?.get())
        let first = StoredCredential(credential: pair(1), version: 1, foreignMembers: ["note": .string("mine")])
        try XCTUnwrap(bench.result(lease.save(first))?.get())
        lease.unlock()
        for _ in 1...2 { bench.server.enqueue(.json(#"{"access_token":"a2","scope":"read"}"#)) }
        let gate = RefreshGate(store: store, authenticator: try bench.authenticator(), scheduler: bench.scheduler)
        func stored() throws -> StoredCredential { try XCTUnwrap(bench.result(store.load())?.get()) }
        _ = try bench.result(gate.refreshNow())?.get()
        XCTAssertEqual(try stored().credential?.details.scope, "read")
        XCTAssertEqual(try stored().foreignMembers, first.foreignMembers)
        var logins: Set<String?> = []
        for number in 2...3 {
            _ = try bench.result(gate.login(pair(number)))?.get()
            logins.insert(try stored().credential?.details.loginID)
            XCTAssertEqual(try stored().foreignMembers, first.foreignMembers)
        }
        XCTAssertEqual(logins.count, 2)
        XCTAssertEqual(logins.compactMap { $0?.count }, [32, 32])
        _ = try bench.result(gate.refreshNow())?.get()
        XCTAssertTrue(logins.contains(try stored().credential?.details.loginID), "a refresh keeps it")
        _ = try bench.result(gate.logout())?.get()
        XCTAssertNil(try stored().credential)
        XCTAssertEqual(try stored().foreignMembers, first.foreignMembers)
    }
}
