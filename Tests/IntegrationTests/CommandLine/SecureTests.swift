import Foundation
import XCTest

/// Tests `get` against a real server that speaks TLS.
final class SecureTests: XCTestCase {
    private func nginx() throws -> Nginx { try Nginx() }

    func testTheTrustRootsComeFromTheOptionOrTheEnvironment() throws {
        let nginx = try nginx()
        let url = "\(nginx.secure)/echo/a"
        XCTAssertEqual(try freshet("get", url, "--cacert", nginx.caFile).text, "GET /echo/a")
        XCTAssertEqual(try freshet("get", url, environment: ["SSL_CERT_FILE": nginx.caFile]).text, "GET /echo/a")
        let result = try freshet("get", url)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: tls: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains(nginx.secure), result.errorOutput)
    }

    func testUnreadableTrustRootsFailWithTLS() throws {
        let nginx = try nginx()
        let result = try freshet("get", nginx.secure, "--cacert", "/nowhere/ca.pem")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: tls: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("trust roots"), result.errorOutput)
    }

    func testAServerWithoutTLSFailsWithTLS() throws {
        let nginx = try nginx()
        let result = try freshet("get", "https://127.0.0.1:\(nginx.plainPort)/")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: tls: "), result.errorOutput)
    }

    func testTheOptionHTTP2UsesHTTP2OrFails() throws {
        let nginx = try nginx()
        let spoken = try freshet("get", "-i", "\(nginx.http2)/protocol", "--http2", "--cacert", nginx.caFile)
        XCTAssertTrue(spoken.text.hasPrefix("HTTP/2 200\r\n"), spoken.text)
        XCTAssertTrue(spoken.text.hasSuffix("HTTP/2.0"), spoken.text)
        let refused = try freshet("get", "\(nginx.secure)/protocol", "--http2", "--cacert", nginx.caFile)
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.hasPrefix("freshet: protocol: "), refused.errorOutput)
        XCTAssertTrue(refused.errorOutput.contains("HTTP/2; ask for HTTP/1.1 with --http1.1"), refused.errorOutput)
        let older = try freshet("get", "-i", "\(nginx.http2)/protocol", "--http1.1", "--cacert", nginx.caFile)
        XCTAssertTrue(older.text.hasPrefix("HTTP/1.1 200"), older.text)
    }

    func testACompressedBodyIsDecodedAndItsFieldIsRemoved() throws {
        let nginx = try nginx()
        let text = String(repeating: "compress me ", count: 1000)
        try text.write(to: nginx.directory.appendingPathComponent("root/text"), atomically: true, encoding: .utf8)
        let result = try freshet("get", "-i", "\(nginx.plain)/gzip")
        XCTAssertTrue(result.text.hasSuffix("\r\n\r\n" + text))
        XCTAssertFalse(result.text.lowercased().contains("content-encoding"))
    }
}
