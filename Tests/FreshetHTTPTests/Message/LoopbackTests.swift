import FreshetHTTP
import XCTest

final class LoopbackTests: XCTestCase {
    func testOnlyAddressesOfThisMachineAreLoopback() throws {
        for host in ["localhost", "LocalHost", "a.localhost", "127.0.0.1", "127.255.0.9", "[::1]", "[0:0:0:0:0:0:0:1]"]
        {
            let origin = try Origin("http://\(host):8080/")
            XCTAssertTrue(origin.isLoopback, host)
            XCTAssertFalse(origin.isExposed, host)
        }
        for host in [
            "127.evil.example", "127.0.0.1.evil.example", "localhost.example", "notlocalhost", "128.0.0.1", "10.0.0.1",
            "0.0.0.0", "[::]", "[::2]", "[1::1]", "127.1", "0x7f000001", "2130706433", "192.168.127.0",
        ] {
            let origin = try Origin("http://\(host)")
            XCTAssertFalse(origin.isLoopback, host)
            XCTAssertTrue(origin.isExposed, host)
            XCTAssertFalse(try Origin("https://\(host)").isExposed, host)
        }
    }

    func testAnIPv6AddressIsOneOriginInEveryForm() throws {
        for host in ["::1", "[::1]", "0:0:0:0:0:0:0:1", "[0::1]"] {
            XCTAssertEqual(Origin(scheme: "http", host: host, port: 80), try Origin("http://[::1]"), host)
        }
        XCTAssertEqual(
            Origin(scheme: "http", host: "FE80::A%25eth0", port: 80), try Origin("http://[fe80::a%25eth0]"))
        XCTAssertEqual(Origin(scheme: "http", host: "[x]", port: 80).host, "[x]")
    }

    func testOriginsAreComparedWithoutCaseAndWithDefaultPorts() throws {
        let origin = try Origin("https://api.example")
        for same in [
            try Origin("HTTPS://API.Example"), try RequestURL("https://api.example:443/path?query").origin,
            try Origin("https://api.example:0443"), try Origin("https://api.example:"),
            Origin(scheme: "HTTPS", host: "Api.Example", port: 443),
        ] {
            XCTAssertEqual(origin, same)
        }
        for other in ["http://api.example:443", "https://api.example:444", "https://api.example.", "https://api"] {
            XCTAssertNotEqual(origin, try Origin(other))
        }
        for path in ["https://api.example/v1", "https://api.example/?a"] {
            XCTAssertThrowsError(try Origin(path), path)
        }
    }
}
