import CFreshetCurl
import FreshetCore
import FreshetLoop
import Glibc
import XCTest

@testable import FreshetCurl

/// Tests sockets whose number the system gives to another socket.
final class SocketNumberTests: TransportTestCase {
    func testASocketHasItsOwnPortAfterAnotherOneWithItsNumber() {
        let pool = transport().pool
        let (first, second) = (LoopbackSocket.listening(), LoopbackSocket.listening())
        let ports = Locked<[Int32?]>([])
        _ = loop.executeAndWait {
            guard pool.open(), let multi = CurlMulti(for: pool, isForLongLived: false) else { return }
            let fd = first.descriptor
            multi.opened(fd)
            multi.watch(fd, for: CURL_POLL_OUT, nil)
            let port = multi.state.descriptors.socket(of: fd)?.port
            // libcurl closes the socket without notice, and opens another one.
            dup2(second.descriptor, fd)
            multi.opened(fd)
            ports.withLock { $0 = [port, multi.state.descriptors.socket(of: fd)?.port] }
            multi.close()
        }
        XCTAssertEqual(ports.withLock { $0 }, [Int32(first.port), Int32(second.port)])
        close(first.descriptor)
        close(second.descriptor)
    }
}
