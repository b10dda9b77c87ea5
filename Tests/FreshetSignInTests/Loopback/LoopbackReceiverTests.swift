import FreshetCore
import FreshetHTTP
import FreshetLoop
import XCTest

@testable import FreshetSignIn

final class LoopbackReceiverTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The server has registered one port, and the browser would be sent to another.
    func testANumberThatIsNoPortIsAnErrorAndSelectsNoOtherPort() throws {
        for port in [70_000, 65_536, -1] {
            for host in [LoopbackReceiver.Host.ipv4, .ipv6, .localhost] {
                var address = LoopbackReceiver.Address()
                (address.host, address.port) = (host, port)
                XCTAssertThrowsError(try LoopbackSocket.listening(address)) { error in
                    XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest, "\(port)")
                }
            }
        }
    }
}
