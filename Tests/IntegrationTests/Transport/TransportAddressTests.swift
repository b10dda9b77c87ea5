import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests the addresses to which connections are made.
final class TransportAddressTests: TransportOnScriptedServerTestCase {
    private var port: Int { try! RequestURL(server.url).port }

    private func transport(
        _ resolver: any Resolver, _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) -> CurlTransport {
        transport {
            $0.addresses.resolver = resolver
            configure(&$0)
        }
    }

    func testANameIsResolvedOnceForManyWaitingRequests() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let gate = PublishSubject<Void>()
        let resolver = ScriptedResolver(["a.test": ["127.0.0.1"]], after: gate.take(1).asSingle())
        let transport = transport(resolver)
        let port = port
        // The gate opens when all of them wait.
        let watch = Observable<Int>.interval(.milliseconds(1), scheduler: LoopScheduler(loop))
            .filter { _ in transport.gauges.running == 20 }.take(1).subscribe(onNext: { _ in gate.onNext(()) })
        defer { watch.dispose() }
        let failures = Batch.run(on: loop, transport, count: 20, concurrency: 20) { number in
            try Request(.get, "http://a.test:\(port)/\(number)")
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
        }
        XCTAssertEqual(failures, [])
        XCTAssertEqual(resolver.queries, ["a.test"])
        let again = try outcome(transport, "http://a.test:\(port)/")
        XCTAssertEqual(again.text, "ok")
        XCTAssertEqual(resolver.queries.count, 1)
    }

    func testAddressesAreCachedForTheirTimeAndAKeptConnectionNeedsNone() throws {
        for _ in 0..<3 { server.enqueue(ScriptedResponse(body: "ok")) }
        let resolver = ScriptedResolver(["a.test": ["127.0.0.1"]])
        let transport = transport(resolver) { $0.addresses.timeToLive = .zero }
        let url = "http://a.test:\(port)/"
        for _ in 0..<3 { XCTAssertEqual(try outcome(transport, url).text, "ok") }
        XCTAssertEqual(resolver.queries, ["a.test"])
        server.route { _ in ScriptedResponse(body: "ok").closing() }
        for _ in 0..<3 { XCTAssertEqual(try outcome(transport, url).text, "ok") }
        XCTAssertGreaterThanOrEqual(resolver.queries.count, 2)
    }

    func testARequestThatNeedsANewConnectionDoesNotUseExpiredAddresses() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let resolver = ScriptedResolver(["a.test": ["127.0.0.1"]])
        let transport = transport(resolver) { $0.addresses.timeToLive = .zero }
        let url = "http://a.test:\(port)/"
        XCTAssertEqual(try outcome(transport, url).text, "ok")
        passAMillisecond()
        resolver.respond("a.test", with: ["127.0.0.2", "127.0.0.1"])
        let fresh = try outcome(transport, url) { $0.freshConnection = true }
        XCTAssertEqual(fresh.text, "ok")
        XCTAssertEqual(fresh.phases[1], .resolved(host: "a.test", addresses: ["127.0.0.2", "127.0.0.1"]))
        XCTAssertEqual(resolver.queries.count, 2)
    }

    func testANewAddressReplacesTheOldOne() throws {
        server.route { _ in ScriptedResponse(body: "ok").closing() }
        let resolver = ScriptedResolver(["a.test": ["127.0.0.1"]])
        let transport = transport(resolver) { $0.addresses.timeToLive = .zero }
        let url = "http://a.test:\(port)/"
        XCTAssertEqual(try outcome(transport, url).text, "ok")
        passAMillisecond()
        resolver.respond("a.test", with: ["127.0.0.2", "127.0.0.1"])
        let second = try outcome(transport, url)
        XCTAssertEqual(second.phases[1], .resolved(host: "a.test", addresses: ["127.0.0.2", "127.0.0.1"]))
        XCTAssertEqual(second.text, "ok")
        passAMillisecond()
        resolver.respond("a.test", with: ["127.0.0.3"])
        XCTAssertEqual(try outcome(transport, url).error?.code, .connect)
    }

    /// Waits for 2 ms, because an address is kept for at least the millisecond of the loop's clock in which it was resolved.
    private func passAMillisecond() {
        let passed = expectation(description: "passed")
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(2)) { _ in
            passed.fulfill()
            return Disposables.create()
        }
        wait(for: [passed], timeout: 20)
    }

    func testTheNextAddressIsTriedIfTheFirstOneIsSilent() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let silent = try SilentListener(isFull: true, at: 0x7F00_0002, port: UInt16(port))
        defer { silent.close() }
        let transport = transport(ScriptedResolver(["a.test": ["127.0.0.2", "127.0.0.1"], "b.test": ["127.0.0.1"]]))
        let port = port
        func failures(_ limit: @escaping @Sendable (inout Request) -> Void) -> [String] {
            Batch.run(on: loop, transport, count: 8, concurrency: 8) { number in
                var request = try Request(.get, "http://a.test:\(port)/\(number)")
                request.transfer = TransferOptions()
                request.transfer?.freshConnection = true
                limit(&request)
                return request
            } check: { _, outcome in
                outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
            }
        }
        // libcurl 7.88 forgets to leave the first address.
        if !Quirks.areOff {
            XCTAssertEqual(failures { $0.transfer?.connectTimeout = .seconds(2) }, [])
            XCTAssertEqual(failures { $0.transfer?.totalTimeout = .seconds(2) }, [])
            XCTAssertEqual(failures { $0.timeout = .seconds(2) }, [])
        }
        XCTAssertEqual(try outcome(transport, "http://b.test:\(port)/").text, "ok")
    }

    func testTheNextAddressIsTriedIfOnlyTheClientHasALimit() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let silent = try SilentListener(isFull: true, at: 0x7F00_0002, port: UInt16(port))
        defer { silent.close() }
        var configuration = HTTPClient.Configuration()
        configuration.transfer.connectTimeout = nil
        configuration.timeout = .seconds(2)
        let transport = transport(ScriptedResolver(["a.test": ["127.0.0.2", "127.0.0.1"]]))
        let client = HTTPClient(
            transport: transport, scheduler: LoopScheduler(loop), configuration: configuration)
        // libcurl 7.88 forgets to leave the first address.
        if !Quirks.areOff {
            XCTAssertEqual(try client.get("http://a.test:\(port)/").map(\.text).toBlocking(timeout: 20).single(), "ok")
        }
    }

    func testOverridesTakePrecedenceOverTheResolver() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let resolver = ScriptedResolver(["a.test": ["192.0.2.1"]])
        let port = port
        let transport = transport(resolver) {
            $0.addresses.overrides = ["A.test:\(port)": ["127.0.0.1"], "b.test": ["127.0.0.1"]]
        }
        XCTAssertEqual(try outcome(transport, "http://a.test:\(port)/").text, "ok")
        XCTAssertEqual(try outcome(transport, "http://b.test:\(port)/").text, "ok")
        XCTAssertEqual(resolver.queries, [])
        XCTAssertEqual(server.requests.map { $0.headers[.init("Host")!] ?? "" }, ["a.test:\(port)", "b.test:\(port)"])
    }

    func testAnUnresolvedNameIsAnErrorThatNamesIt() throws {
        let resolver = ScriptedResolver(["empty.test": [], "wrong.test": ["not an address"]])
        let transport = transport(resolver)
        for name in ["gone.test", "empty.test", "wrong.test"] {
            let outcome = try outcome(transport, "http://\(name)/")
            XCTAssertEqual(outcome.error?.code, .resolve)
            XCTAssertEqual(outcome.error?.phase, .resolving)
            XCTAssertEqual(outcome.error?.isUnsent, true)
            XCTAssertTrue("\(outcome.error!)".contains(name))
        }
        // The failure is cached, so that the resolver is not asked again at once.
        XCTAssertEqual(try outcome(transport, "http://gone.test/").error?.code, .resolve)
        XCTAssertEqual(resolver.queries, ["gone.test", "empty.test", "wrong.test"])
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
    }

    func testANameThatIsNotResolvedInTimeIsATimeout() throws {
        let transport = transport(ScriptedResolver([:], after: .never()))
        let late = try outcome(transport, "http://a.test/") { $0.connectTimeout = .milliseconds(20) }
        XCTAssertEqual(late.error?.code, .timeout)
        XCTAssertEqual(late.error?.phase, .resolving)
        XCTAssertTrue(late.error?.message.contains("not resolved in time") == true)
        // Disposing releases the slot, and the shutdown ends the requests that wait.
        let request = try Request(.get, "http://a.test/")
        transport.parts(request).subscribe { _ in }.dispose()
        let ended = expectation(description: "ended")
        _ = transport.parts(request).subscribe(onError: { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .cancelled)
            ended.fulfill()
        })
        transport.shutdown()
        wait(for: [ended], timeout: 20)
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
    }

    func testTheSystemResolverRunsOffTheLoop() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let addresses = Locked<[String]>([])
        let done = expectation(description: "resolved")
        _ = SystemResolver().addresses(of: "localhost").subscribe(onSuccess: { found in
            addresses.withLock { $0 = found }
            done.fulfill()
        })
        wait(for: [done], timeout: 20)
        XCTAssertTrue(addresses.withLock { $0.contains("127.0.0.1") || $0.contains("::1") })
        let unknown = try outcome(transport(), "http://no-such-host.invalid/")
        XCTAssertEqual(unknown.error?.code, .resolve, "\(unknown.error.debugDescription)")
        XCTAssertTrue(unknown.error?.message.contains("no-such-host.invalid") == true)
    }

    func testAddressesAndLocalhostNeedNoResolver() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let resolver = ScriptedResolver([:])
        let transport = transport(resolver)
        XCTAssertEqual(try outcome(transport, "http://127.0.0.1:\(port)/").text, "ok")
        XCTAssertEqual(try outcome(transport, "http://localhost:\(port)/").text, "ok")
        let six = try outcome(transport, "http://[::1]:\(freePort())/")
        XCTAssertEqual(six.error?.code, .connect)
        XCTAssertEqual(resolver.queries, [])
    }

    func testResolvedOriginsAreReleased() throws {
        server.route { _ in ScriptedResponse(body: "ok").closing() }
        let names = (0..<3000).map { "n\($0).test" }
        let resolver = ScriptedResolver(Dictionary(uniqueKeysWithValues: names.map { ($0, ["127.0.0.1"]) }))
        let transport = transport(resolver)
        let port = port
        let failures = Batch.run(on: loop, transport, count: names.count, concurrency: 16) { number in
            try Request(.get, "http://\(names[number]):\(port)/")
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
        }
        XCTAssertEqual(failures, [])
        resolver.respond("n0.test", with: ["127.0.0.3"])
        XCTAssertEqual(try outcome(transport, "http://n0.test:\(port)/").error?.code, .connect)
    }

    func testAUnixSocketReplacesAServer() throws {
        let listener = try UnixListener(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { listener.close() }
        let origin = try Origin("http://docker")
        let transport = transport { $0.addresses.unixSockets[origin] = listener.path }
        let response = try outcome(transport, "http://docker/info")
        XCTAssertEqual(response.text, "ok", "\(response.error.debugDescription)")
        XCTAssertEqual(response.phases[1], .resolved(host: "docker", addresses: ["unix:\(listener.path)"]))
        XCTAssertTrue(listener.received.contains("Host: docker\r\n"), listener.received)
        let nobody = self.transport { $0.addresses.unixSockets[origin] = "/nonexistent.sock" }
        let refused = try outcome(nobody, "http://docker/info")
        XCTAssertEqual(refused.error?.code, .connect)
        XCTAssertTrue(refused.error?.message.contains("/nonexistent.sock") == true, "\(refused.error!)")
        let long = self.transport { $0.addresses.unixSockets[origin] = "/" + String(repeating: "a", count: 200) }
        let unreachable = try outcome(long, "http://docker/info")
        XCTAssertEqual(unreachable.error?.code, .connect, "\(unreachable.error.debugDescription)")
        XCTAssertEqual(unreachable.error?.isUnsent, true)
    }

    func testAnOverrideThatIsNoAddressIsAResolveError() throws {
        for addresses in [["localhost"], [], ["[::1]"]] {
            let transport = transport { $0.addresses.overrides["a.test"] = addresses }
            let failed = try outcome(transport, "http://a.test/")
            XCTAssertEqual(failed.error?.code, .resolve, "\(addresses): \(failed.error.debugDescription)")
            XCTAssertEqual(failed.error?.isUnsent, true)
        }
    }

    func testConnectionsUseTheConfiguredLocalAddress() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let url = server.url
        XCTAssertEqual(try outcome(transport { $0.addresses.localAddress = "127.0.0.7" }, url).text, "ok")
        let foreign = try outcome(transport { $0.addresses.localAddress = "192.0.2.1" }, url)
        XCTAssertEqual(foreign.error?.code, .connect)
        let named = try outcome(transport { $0.addresses.localAddress = "localhost" }, url)
        XCTAssertEqual(named.error?.code, .invalidRequest)
        let noInterface = try outcome(transport { $0.addresses.interface = "none0" }, url)
        XCTAssertEqual(noInterface.error?.code, .connect, "\(noInterface.error.debugDescription)")
    }
}
