import Freshet
import Glibc
import XCTest

final class LoopbackReceiverTests: ResourceTestCase {
    /// What a receiver has reported.
    private final class Reports: Sendable {
        let redirectURI = Locked<String?>(nil)
        let error = Locked<(any Error)?>(nil)
        let opened = XCTestExpectation(description: "opened")
        let failed = XCTestExpectation(description: "failed")

        func receive(on loop: Loop) -> any Disposable {
            LoopbackReceiver(on: loop).receive(
                ready: { [redirectURI, opened] text in
                    redirectURI.withLock { $0 = text }
                    opened.fulfill()
                },
                received: { _ in .ignored },
                failed: { [error, failed] reason in
                    error.withLock { $0 = reason }
                    failed.fulfill()
                })
        }

        var failure: HTTPClientError? { error.withLock { $0 } as? HTTPClientError }
    }

    func testALoginOnALoopThatHasEndedFails() throws {
        let loop = try Loop(name: "ended")
        loop.shutdown()
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        XCTAssertEqual(reports.failure?.code, .cancelled)
        receiving.dispose()
    }

    private var socketCount: Int { TransportTestCase.descriptors().filter { $0.hasPrefix("socket") }.count }

    func testALoginFailsAndItsSocketsAreClosedWhenItsLoopEnds() throws {
        let before = socketCount
        let loop = try Loop(name: "ending")
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        wait(for: [reports.opened], timeout: 10)
        let client = try PlainClient(port: RequestURL(XCTUnwrap(reports.redirectURI.withLock { $0 })).port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        XCTAssertTrue(client.read(upTo: "\r\n").hasPrefix("HTTP/1.1 400 "))
        let silent = try PlainClient(port: RequestURL(XCTUnwrap(reports.redirectURI.withLock { $0 })).port)
        loop.shutdown()
        XCTAssertEqual(reports.failure?.code, .cancelled)
        XCTAssertEqual(silent.readToEnd().text, "")
        receiving.dispose()
        withExtendedLifetime((client, silent)) {
            // The clients of this test have their own ends of the two connections.
            XCTAssertEqual(socketCount, before + 2)
        }
    }

    /// RFC 9110 section 9.3.2.
    func testTheResponseToAHEADEndsAfterItsHead() throws {
        let loop = try Loop(name: "head")
        defer { loop.shutdown() }
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        defer { receiving.dispose() }
        wait(for: [reports.opened], timeout: 10)
        let url = try RequestURL(XCTUnwrap(reports.redirectURI.withLock { $0 }))
        let client = PlainClient(port: url.port)
        client.send("HEAD \(url.path) HTTP/1.1\r\nHost: 127.0.0.1:\(url.port)\r\n\r\n")
        let text = client.readToEnd().text
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 405 ") && text.hasSuffix("Allow: GET\r\n\r\n"), text)
    }

    func testAReceiverWithoutDescriptorsRestsUntilOneIsFree() throws {
        let loop = try Loop(name: "full")
        let reports = Reports()
        let receiving = reports.receive(on: loop)
        wait(for: [reports.opened], timeout: 10)
        let url = try RequestURL(XCTUnwrap(reports.redirectURI.withLock { $0 }))
        let shortage = DescriptorShortage()
        let client = PlainClient(port: url.port)
        let start = clock()
        usleep(300_000)
        let used = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        shortage.end()
        XCTAssertLessThan(used, 0.15, "seconds of the processor in 0.3 s, so the loop has spun")
        client.send("GET / HTTP/1.1\r\n\r\n")
        XCTAssertTrue(client.read(upTo: "\r\n").hasPrefix("HTTP/1.1 400 "))
        receiving.dispose()
        loop.shutdown()
    }

    func testAReceiverThatCannotOpenItsPortNamesTheReason() throws {
        let loop = try Loop(name: "full")
        let reports = Reports()
        let shortage = DescriptorShortage()
        let last = dup(STDERR_FILENO)
        let receiving = reports.receive(on: loop)
        wait(for: [reports.failed], timeout: 10)
        close(last)
        shortage.end()
        XCTAssertEqual(
            reports.failure?.message, "port 0 of this machine can't be listened on: Too many open files")
        receiving.dispose()
        loop.shutdown()
    }
}
