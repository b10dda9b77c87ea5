import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests the addresses in requests, and the input that must not get into a request.
final class TransportURLTests: TransportOnScriptedServerTestCase {
    /// libcurl itself resolves every name under `localhost` to this machine.
    func testANonASCIIHostIsSentInItsASCIIForm() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        for (host, name) in [
            ("b\u{FC}cher.localhost", "xn--bcher-kva.localhost"), ("B\u{DC}CHER.localhost", "xn--bcher-kva.localhost"),
            ("bu\u{308}cher.localhost", "xn--bcher-kva.localhost"), ("fa\u{DF}.localhost", "xn--fa-hia.localhost"),
            ("\u{4F8B}\u{3048}.localhost", "xn--r8jz45g.localhost"),
        ] {
            let outcome = try outcome(transport(), "http://\(host):\(server.port)/")
            XCTAssertEqual(outcome.text, "ok", "\(host) \(outcome.error.map { "\($0)" } ?? "")")
            XCTAssertEqual(server.requests.last?.headers[HTTPField.Name("Host")!], "\(name):\(server.port)")
        }
    }

    func testUnicodeAndPunycodeFormsOfAHostShareAConnection() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport()
        for host in ["b\u{FC}cher.localhost", "xn--bcher-kva.localhost"] {
            XCTAssertEqual(try outcome(transport, "http://\(host):\(server.port)/").text, "ok")
        }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testAnUnresolvedHostIsReportedInItsUnicodeForm() throws {
        let resolver = ScriptedResolver([:])
        let outcome = try outcome(transport { $0.addresses.resolver = resolver }, "http://b\u{FC}cher.example/")
        XCTAssertEqual(outcome.error?.code, .resolve)
        let message = try XCTUnwrap(outcome.error?.message)
        XCTAssertTrue(message.contains("b\u{FC}cher.example (xn--bcher-kva.example)"), message)
        XCTAssertEqual(resolver.queries, ["xn--bcher-kva.example"])
    }

    func testSettingsForAHostApplyToItsUnicodeAndPunycodeForms() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        for key in ["b\u{FC}cher.example", "B\u{DC}CHER.example:\(server.port)", "xn--bcher-kva.example"] {
            let transport = transport {
                $0.addresses.resolver = ScriptedResolver([:])
                $0.addresses.overrides = [key: ["127.0.0.1"]]
                $0.proxy = .url("http://127.0.0.1:\(freePort())", bypassing: "b\u{FC}cher.example")
            }
            XCTAssertEqual(try outcome(transport, "http://xn--bcher-kva.example:\(server.port)/").text, "ok", key)
        }
    }

    func testAHostWithoutAnASCIIFormIsRefused() throws {
        for host in ["a\u{2488}b.localhost", "xn--\u{FC}.localhost", "\u{FB01}sh.localhost"] {
            XCTAssertThrowsError(try RequestURL("http://\(host)/"), host) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest, host)
            }
            // An origin can be made without an address.
            let origin = Origin(scheme: "http", host: host, port: server.port)
            XCTAssertFalse(origin.host.utf8.allSatisfy { $0 < 0x80 }, host)
        }
    }

    func testNoInputOfACallerCanInjectALine() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let injection = "a\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n"
        XCTAssertNil(HTTPRequest.Method(injection))
        XCTAssertNil(HTTPField.Name(injection))
        XCTAssertThrowsError(try RequestURL("http://127.0.0.1/\(injection)"))
        XCTAssertThrowsError(try RequestURL("http://127.0.0.1/").resolving(injection))
        var form = MultipartForm()
        form.append(injection, bytes: [1], filename: injection)
        let url = try RequestURL(server.url).appending(query: [injection: injection]).appending(path: injection)
        let bodies: [RequestBody] = [
            .multipart(form), .form([(injection, injection)]), .bytes([1], contentType: injection),
            .stream(.just([1]), contentType: injection), .file("/dev/null", contentType: injection),
        ]
        for (index, body) in bodies.enumerated() {
            var request = Request(method: .post, url: url, headers: [HTTPField.Name("X-A")!: injection], body: body)
            request.transfer = TransferOptions()
            let outcome = outcome(transport(), request)
            XCTAssertEqual(outcome.error?.code, index < 2 ? nil : .invalidRequest)
        }
        XCTAssertEqual(server.requestCount, 2)
        for request in server.requests {
            XCTAssertNil(request.headers[HTTPField.Name("X-Evil")!])
            XCTAssertTrue(request.path.hasPrefix("/a%0D%0AX-Evil"), request.path)
            XCTAssertFalse(request.text.contains("\r\nX-Evil"))
        }
    }

    func testEveryMethodIsSentWithAndWithoutABody() throws {
        let transport = transport()
        server.route { _ in ScriptedResponse(body: "ok") }
        for name in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "get", "M-SEARCH", "X!"] {
            let method = try XCTUnwrap(HTTPRequest.Method(name))
            for body in [RequestBody.empty, .bytes([1, 2]), .stream(.just([1, 2]))] {
                XCTAssertEqual(try outcome(transport, server.url, method: method, body: body).text, "ok", name)
                XCTAssertEqual(server.requests.last?.method.rawValue, name)
                XCTAssertEqual(server.requests.last?.body, body == .empty ? [] : [1, 2])
            }
        }
        let head = try outcome(transport, server.url, method: .head)
        XCTAssertEqual(head.head?.headerFields[.contentLength], "2")
        XCTAssertEqual(head.body, [])
        XCTAssertEqual(try outcome(transport, server.url, method: .connect).error?.code, .invalidRequest)
        XCTAssertEqual(server.acceptedConnections, 1)
    }
}
