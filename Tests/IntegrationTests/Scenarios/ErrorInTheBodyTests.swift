import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests errors that a response reports in its body.
final class ErrorInTheBodyTests: ScenarioTestCase {
    private struct Failure: Decodable, Equatable {
        var errorCode: String
    }

    private struct Setting {
        var server: TokenServer
        var gate: RefreshGate
        var client: HTTPClient
    }

    private func setting(status: HTTPResponse.Status, expiry: TokenServer.Expiry) throws -> Setting {
        var rules = TokenServer.Rules()
        rules.expiry = expiry
        rules.expiryResponse = .errorCode("E05", status: status)
        rules.refusal = .json(#"{"errorCode":"E05"}"#, status: status)
        let server = try TokenServer(on: loop, rules: rules) { request in
            switch request.path {
            case "/denied": .json(#"{"errorCode":"E01"}"#, status: status)
            case "/broken": ScriptedResponse(status: status, body: "<html>sorry</html>")
            default: .json(#"{"ok":true}"#)
            }
        }
        let authenticator = try ProfileAuthenticator(
            endpoint: .init(
                url: try RequestURL(server.reissueURL), json: .object(["refreshToken": .string("{refresh_token}")]),
                accessToken: try JSONPointer("/accessToken"), refreshToken: try JSONPointer("/refreshToken"),
                expiresIn: try JSONPointer("/expiresIn")),
            expired: ExpiryRule(statuses: [], body: .init(pointer: try JSONPointer("/errorCode"), equals: ["E05"])),
            client: refreshClient)
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])
        return Setting(server: server, gate: gate, client: client(interceptor))
    }

    func testTheErrorCodeE05IndicatesAnExpiredTokenWhateverTheStatus() async throws {
        for status in [HTTPResponse.Status.badRequest, .internalServerError] {
            let setting = try setting(status: status, expiry: .afterUses([0]))
            let response = try await setting.client.get("\(setting.server.url)/items").validate().value
            XCTAssertEqual(response.text, #"{"ok":true}"#)
            XCTAssertEqual(setting.server.counts.refreshes, 1)
            XCTAssertEqual(setting.server.resourceRequests.count, 2)
        }
    }

    func testOtherCodesReachTheCallerDecoded() async throws {
        for status in [HTTPResponse.Status.badRequest, .internalServerError] {
            let setting = try setting(status: status, expiry: .never)
            let error = await failure(of: setting.client.get("\(setting.server.url)/denied").validate())
            XCTAssertEqual(error.code, .status)
            XCTAssertEqual(error.response?.status, status)
            XCTAssertEqual(try error.response?.decoded(Failure.self), Failure(errorCode: "E01"))
            XCTAssertEqual(setting.server.counts.refreshes, 0)
            XCTAssertEqual(setting.server.requests.count, 1)
        }
    }

    func testABodyThatIsNotJSONIsADecodingError() async throws {
        let setting = try setting(status: .internalServerError, expiry: .never)
        let response = setting.client.get("\(setting.server.url)/broken")
        let error = await failure(of: response.decode(Failure.self))
        XCTAssertEqual(error.code, .decoding)
        XCTAssertEqual(error.response?.text, "<html>sorry</html>")
        XCTAssertEqual(setting.server.counts.refreshes, 0)
    }

    func testWhenTheRefreshFailsALoginIsRequiredAndTheCallerReceivesTheError() async throws {
        for status in [HTTPResponse.Status.badRequest, .internalServerError] {
            let setting = try setting(status: status, expiry: .everyUses(0))
            let logins = loginRequests(of: setting.gate)
            setting.server.revokeSessions()
            let error = await failure(of: setting.client.get("\(setting.server.url)/items"))
            XCTAssertEqual(error.code, .loginRequired)
            XCTAssertEqual(try error.response?.decoded(Failure.self), Failure(errorCode: "E05"))
            XCTAssertNotNil(error.underlying)
            XCTAssertEqual(logins.withLock { $0 }, [.refused])
            XCTAssertEqual(setting.server.requests.map(\.path), ["/items", "/reissue"])
        }
    }
}
