import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// The codes of requests whose credential has to be refreshed.
extension ClientErrorTests {
    func testTheRefreshFailedErrorHasItsCodePhaseAndAdvice() async throws {
        server.route(.post, "/token") { _ in ScriptedResponse(status: .serviceUnavailable, body: "s3cret") }
        server.route { _ in ExpiryResponse.unauthorized.response }
        await expect(
            try authenticated(expired).send(try request()),
            "refresh_failed: the credential could not be refreshed, and is kept (status: the refresh endpoint SERVER/token "
                + "responded with 503 (receiving the response, SERVER)); try again later (refreshing, GET SERVER/)")
    }

    func testARefreshWhoseConnectionIsLostSuggestsAnotherTryOfTheRequest() async throws {
        server.route(.post, "/token") { _ in .close }
        server.route { _ in ExpiryResponse.unauthorized.response }
        await expect(
            try authenticated(expired).send(try request()),
            "refresh_failed: the credential could not be refreshed, and is kept (connection_lost: the connection ended before "
                + "the response was complete (waiting for the response, POST SERVER/token)); try again "
                + "(refreshing, GET SERVER/)")
    }

    func testAnErrorOfTheTokenEndpointThatNoTimeCuresSaysWhatToCheck() async throws {
        let cases: [(String, HTTPClientError.RecoverySuggestion)] = [
            ("invalid_scope", .checkTokenScopes), ("unauthorized_client", .checkClientRights),
            ("invalid_request", .checkTokenParameters), ("invalid_target", .checkTokenParameters),
            ("unsupported_grant_type", .checkGrant),
        ]
        for (code, _) in cases {
            server.route(.post, "/token/\(code)") { _ in
                // Some servers send their errors with a 200.
                .json("{\"error\": \"\(code)\"}", status: code == "invalid_request" ? .ok : .badRequest)
            }
        }
        server.route(.post, "/busy") { _ in .json(#"{"error": "invalid_request"}"#, status: .tooManyRequests) }
        server.route { _ in ExpiryResponse.unauthorized.response }
        for (code, advice) in cases {
            let client = try authenticated(expired, at: "/token/\(code)")
            for _ in 0..<5 {
                let error = await failure(of: client.send(try request()))
                XCTAssertEqual(error.code, .refreshFailed)
                XCTAssertEqual(error.recoverySuggestion?.description, "\(advice), then try again", code)
                XCTAssertEqual((error.underlying as? HTTPClientError)?.recoverySuggestion, advice, code)
            }
            let resting = await failure(of: client.send(try request()))
            XCTAssertEqual(
                resting.recoverySuggestion?.description.hasPrefix("\(advice), then try again in "), true, "\(resting)")
        }
        let busy = await failure(of: try authenticated(expired, at: "/busy").send(try request()))
        XCTAssertEqual(busy.recoverySuggestion, .tryAgainLater)
    }

    func testTheErrorOfAFirstCredentialClaimsNoneThatIsKept() async throws {
        server.route(.post, "/token") { _ in ScriptedResponse(status: .serviceUnavailable) }
        let client = try authenticated(MemoryStore(), grant: .clientCredentials)
        let reason = "(status: the refresh endpoint SERVER/token responded with 503 (receiving the response, SERVER))"
        for _ in 0..<5 {
            await expect(
                client.send(try request()),
                "refresh_failed: no credential could be obtained \(reason); try again later "
                    + "(refreshing, GET SERVER/)")
        }
        let resting = await failure(of: client.send(try request()))
        XCTAssertTrue(resting.message.hasPrefix("no request goes to the refresh endpoint for now"), "\(resting)")
        XCTAssertFalse("\(resting)".contains("kept"), "\(resting)")
    }

    func testTheRefreshStormErrorHasItsCodePhaseAndAdvice() async throws {
        server.route(.post, "/token") { request in .json(#"{"access_token":"s3cret\#(request.number)"}"#) }
        server.route { _ in ExpiryResponse.unauthorized.response }
        await expect(
            try authenticated(expired).send(try request()),
            "refresh_storm: refused as expired after 2 refreshes; check which responses count as expired, and the account's rights "
                + "(refreshing, GET SERVER/, attempt 3)"
        )
        let client = try authenticated(expired)
        for _ in 0..<3 { _ = await failure(of: client.send(try request())) }
        await expect(
            client.send(try request()),
            "refresh_storm: the limit of refreshes is reached, which is 5 in 30 s; check the clock and which responses count as "
                + "expired, or raise RefreshGate.Settings.refreshLimit (refreshing, GET SERVER/)"
        )
    }

    func testTheLoginRequiredErrorHasItsCodePhaseAndAdvice() async throws {
        server.route(.post, "/token") { _ in ScriptedResponse(status: .badRequest, body: "s3cret") }
        server.route { _ in ExpiryResponse.unauthorized.response }
        await expect(
            try authenticated(MemoryStore()).send(try request()),
            "login_required: no credential is stored; log in (preparing, GET SERVER/)")
        let client = try authenticated(expired)
        await expect(
            client.send(try request()),
            "login_required: the refresh was refused (the refresh endpoint SERVER/token responded with 400); log in again "
                + "(refreshing, GET SERVER/)")
        await expect(
            client.send(try request()),
            "login_required: the refresh was refused (the refresh endpoint SERVER/token responded with 400); log in again "
                + "(refreshing, GET SERVER/)")
    }

    func testTheStoreErrorHasItsCodePhaseAndAdvice() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("api.json").path
        try "s3cret is no JSON".write(toFile: path, atomically: true, encoding: .utf8)
        let error = await failure(
            of: try authenticated(FileStore(path: path, scheduler: BlockingScheduler(on: loop))).send(try request()))
        XCTAssertEqual(error.code, .store)
        XCTAssertEqual(
            "\(error)".replacing(server.url, with: "SERVER").replacing(path, with: "PATH"),
            "store: the credential store PATH: it holds no JSON object of a credential; log in to replace it, "
                + "or delete it (storing, GET SERVER/)"
        )
    }
}
