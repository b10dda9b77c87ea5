import FreshetHTTP
import XCTest

@testable import FreshetSignIn

/// Tests what the error of a refused login repeats of the server's description.
final class RefusalDescriptionTests: XCTestCase {
    private func request() throws -> AuthorizationRequest {
        var server = AuthorizationServer(issuer: "https://id.example")
        server.authorizationEndpoint = try RequestURL("https://id.example/authorize")
        return try AuthorizationRequest(
            to: server, clientID: "id", redirectURI: "http://127.0.0.1:1/", scope: LoginScope(), keyThumbprint: nil)
    }

    /// The message of the error of a callback with this description.
    private func message(_ request: AuthorizationRequest, _ description: String) throws -> String {
        let query = "error=invalid_scope&state=\(request.state)&error_description="
        let callback = Callback(query: query + RequestBody.formEncoded(description))
        guard case .failed(let error) = request.verdict(on: callback) else {
            throw HTTPClientError(.protocol, phase: .waiting, message: "the callback has not ended the login")
        }
        XCTAssertEqual(error.code, .accessDenied)
        return error.message
    }

    private let start = "the authorization server has refused the login: invalid_scope"

    func testTheDescriptionOfARefusalIsQuoted() throws {
        let request = try request()
        XCTAssertEqual(
            try message(request, "scope offline_access is not allowed"),
            start + #": "scope offline_access is not allowed""#)
        XCTAssertEqual(try message(request, ""), start)
    }

    /// RFC 6749 section 4.1.2.1 allows %x20-21 / %x23-5B / %x5D-7E.
    func testOnlyTheCharactersOfTheStandardAreRepeatedAndAtMost200() throws {
        let request = try request()
        XCTAssertEqual(try message(request, "a\u{1B}[31m\"\\\r\n\u{7F}ü\u{202E}~! b"), start + #": "a[31m~! b""#)
        XCTAssertEqual(try message(request, "\"\n"), start)
        XCTAssertEqual(
            try message(request, String(repeating: "x", count: 500)),
            start + ": \"" + String(repeating: "x", count: 200) + "\"")
    }

    func testADescriptionThatHasAPartOfTheStateIsLeftOut() throws {
        let request = try request()
        let state = request.state
        let parted = state.prefix(6) + "\n" + state.dropFirst(6)
        let filler = String(repeating: "x", count: 300)
        for text in [
            "no \(state)", "no \(state.prefix(8)) here", String(state.suffix(8)), String(parted),
            "\(state.dropFirst(5).prefix(8))", filler + state,
        ] {
            XCTAssertEqual(try message(request, text), start, text)
        }
        XCTAssertEqual(try message(request, "no \(state.prefix(7))"), start + ": \"no \(state.prefix(7))\"")
    }
}
