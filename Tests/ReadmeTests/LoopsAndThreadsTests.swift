import CFreshetUV
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the examples of the page about loops.
final class LoopsAndThreadsTests: ResourceTestCase {
    private var loop: Loop!
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop(name: "server")
        server = try ScriptedServer(on: loop)
        server.route(.get, "/") { _ in ScriptedResponse(status: .accepted) }
    }

    override func tearDown() {
        server.close()
        loop.shutdown()
        (server, loop) = (nil, nil)
    }

    func testAProgramAdoptsItsLoopAndRegainsIt() throws {
        let program = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        defer { program.deallocate() }
        uv_loop_init(program)
        for _ in 0..<2 { XCTAssertEqual(try AdoptedLoop.status(of: server.url, on: program), 202) }
        XCTAssertEqual(uv_loop_close(program), 0)
    }

    func testATaskSendsRequestsOnTheLoop() async throws {
        let statuses = try await OnTheLoop.statuses(of: [server.url, server.url])
        XCTAssertEqual(statuses, [202, 202])
    }

    func testAThreadReceivesResponsesInBatches() throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let bag = DisposeBag()
        let responses = ResponseQueue(runtime)
        for _ in 0..<20 { responses.ask(server.url).disposed(by: bag) }
        var all: [Int] = []
        while all.count < 20 { all += responses.wait() }
        XCTAssertEqual(all, Array(repeating: 202, count: 20))
    }

    func testRequestsAreSpreadOverTheLoops() async throws {
        let statuses = try await ManyLoops.statuses(of: Array(repeating: server.url, count: 100))
        XCTAssertEqual(statuses, Array(repeating: 202, count: 100))
    }
}
