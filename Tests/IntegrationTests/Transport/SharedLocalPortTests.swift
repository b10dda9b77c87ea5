import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import XCTest

@testable import FreshetCurl

/// Tests connections that have different destinations and the same local port, which Linux allows.
final class SharedLocalPortTests: TransportTestCase {
    /// Kept connections to two origins.
    private struct Pair {
        let multi: CurlMulti
        let identities: [ConnectionIdentity]
        let descriptors: [Int32]
        /// The other side of each connection.
        let servers: [HandConnection]

        func close() {
            for fd in descriptors where multi.state.descriptors.kind(of: fd) == .made { _ = multi.closeSocket(fd) }
        }
    }

    private static func keep(_ fd: Int32, for originPool: OriginPool, on multi: CurlMulti) {
        multi.opened(fd)
        multi.made(fd, for: originPool, isMultiplexed: false)
        multi.watch(fd, for: CURL_POLL_IN, nil)
        multi.state.descriptors.socket(of: fd)?.park(isKept: true, behind: .separate)
    }

    private func withPair(_ body: @escaping @Sendable (Pair) -> Void) throws {
        let listeners = [HandServer(), HandServer()]
        let first = LoopbackSocket.connected(to: listeners[0].port)
        let port = LoopbackSocket.port(of: first)
        let descriptors = [first, LoopbackSocket.connected(to: listeners[1].port, from: port)]
        let servers = listeners.compactMap { $0.accept() }
        let urls = try ["http://a/", "http://b/"].map { try RequestURL($0) }
        let pool = transport().pool
        _ = loop.executeAndWait {
            guard pool.open(), let multi = CurlMulti(for: pool, isForLongLived: false) else { return }
            var queue = AdmissionQueue(perOrigin: 1, total: 1, gauges: Gauges().ordinary)
            let originPools = urls.map { queue.originPool(for: $0) }
            for (fd, originPool) in zip(descriptors, originPools) { Self.keep(fd, for: originPool, on: multi) }
            let identities = originPools.map { ConnectionIdentity($0, from: Int32(port)) }
            let pair = Pair(multi: multi, identities: identities, descriptors: descriptors, servers: servers)
            body(pair)
            pair.close()
            multi.close()
        }
    }

    func testOnlyTheConnectionOfARequestIsCheckedForSurplusBytes() throws {
        let checks = Locked<[Bool]>([])
        try withPair { pair in
            _ = pair.multi.closeSocket(pair.descriptors[0])
            let found = pair.identities.map { pair.multi.staleResponseCheck(of: $0) != nil }
            checks.withLock { $0 = found }
        }
        XCTAssertEqual(checks.withLock { $0 }, [false, true])
    }

    func testOnlyTheConnectionOfAPausedResponseIsNotKept() throws {
        let kept = Locked<[Bool?]>([])
        try withPair { pair in
            pair.multi.connectionPaused(pair.identities[0])
            let found = pair.descriptors.map { pair.multi.state.descriptors.socket(of: $0)?.isKept }
            kept.withLock { $0 = found }
        }
        XCTAssertEqual(kept.withLock { $0 }, [false, true])
    }

    func testOnlyTheConnectionThatTheServerHasEndedCountsAsEnded() throws {
        let ended = Locked<[[Bool]]>([])
        try withPair { pair in
            func record() {
                let found = pair.identities.map { pair.multi.hasEnded($0) }
                ended.withLock { $0.append(found) }
            }
            record()
            pair.servers[1].reset()
            record()
            pair.close()
            record()
        }
        XCTAssertEqual(ended.withLock { $0 }, [[false, false], [false, true], [false, true]])
    }
}
