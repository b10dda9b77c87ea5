import Freshet
import Glibc
import XCTest

final class LoopbackReceiverTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// What a receiver has reported.
    private final class Reports: Sendable {
        let redirectURI = Locked<String?>(nil)
        let error = Locked<(any Error)?>(nil)
        let opened = XCTestExpectation(description: "opened")

        func receive(on loop: Loop) -> any Disposable {
            LoopbackReceiver(on: loop).receive(
                ready: { [redirectURI, opened] text in
                    redirectURI.withLock { $0 = text }
                    opened.fulfill()
                },
                received: { _ in .ignored },
                failed: { [error] reason in error.withLock { $0 = reason } })
        }

        var code: HTTPClientError.Code? { (error.withLock { $0 } as? HTTPClientError)?.code }
    }

    func testALoginOnALoopThatHasEndedFails() throws {
        let loop = try Loop(name: "ended")
        loop.shutdown()
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        XCTAssertEqual(reports.code, .cancelled)
        receiving.dispose()
    }

    func testAReceiverWithoutDescriptorsRestsUntilOneIsFree() throws {
        let loop = try Loop(name: "full")
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        wait(for: [reports.opened], timeout: 10)
        let client = try client()
        defer { close(client) }
        let used: Double
        do {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var low = limit
            low.rlim_cur = 200
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
            var fillers: [Int32] = []
            defer { fillers.forEach { close($0) } }
            while case let fd = dup(client), fd >= 0 { fillers.append(fd) }
            XCTAssertTrue(connects(client, to: try port(of: reports)))
            let start = clock()
            usleep(300_000)
            used = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        }
        XCTAssertLessThan(used, 0.15, "seconds of the processor in 0.3 s")
        XCTAssertTrue(answer(to: "GET / HTTP/1.1\r\n\r\n", over: client).hasPrefix("HTTP/1.1 400 "))
        receiving.dispose()
        loop.shutdown()
    }

    private func port(of reports: Reports) throws -> UInt16 {
        let url = try RequestURL(XCTUnwrap(reports.redirectURI.withLock { $0 }))
        return UInt16(url.port)
    }

    private func client() throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        XCTAssertGreaterThanOrEqual(client, 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return client
    }

    private func connects(_ client: Int32, to port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private func answer(to request: String, over client: Int32) -> String {
        let request = Array(request.utf8)
        XCTAssertEqual(send(client, request, request.count, Int32(MSG_NOSIGNAL)), request.count)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
