import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Repeats failures that users of other clients reported. The numbers in comments are those of the reports.
/// All tests run on virtual time.
class FailureTestCase: XCTestCase {
    private(set) var clocks: Clocks!
    private var servers: [StrictServer] = []
    private var resources = 0

    override func setUp() {
        resources = Resources.total
        clocks = Clocks()
    }

    override func tearDown() {
        for server in servers { XCTAssertEqual(server.leaks, [], "a token reached whom it is not meant for") }
        servers = []
        clocks = nil
        XCTAssertEqual(Resources.total, resources)
    }

    func server(_ change: (inout StrictServer.Rules) -> Void = { _ in }) -> StrictServer {
        var rules = StrictServer.Rules()
        change(&rules)
        let server = StrictServer(clocks, rules: rules)
        servers.append(server)
        return server
    }

    /// Subscribes to `single` at once. Its result arrives while the test lets time pass.
    func start<Value>(_ single: Single<Value>) -> Ending<Value> {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        return ending
    }

    /// Advances the virtual clock by `seconds`.
    func pass(_ seconds: Double) {
        clocks.scheduler.advanceTo(clocks.scheduler.clock + Int((seconds * 1000).rounded()))
    }

    /// The value that `single` emits within two minutes.
    func result<Value>(
        of single: Single<Value>, file: StaticString = #filePath, line: UInt = #line
    ) throws -> Value {
        let ending = start(single)
        finish(ending)
        return try XCTUnwrap(ending.value, "no end in two minutes", file: file, line: line).get()
    }

    /// The error that `single` ends with, within two minutes.
    func error<Value>(
        of single: Single<Value>, file: StaticString = #filePath, line: UInt = #line
    ) -> HTTPClientError? {
        let ending = start(single)
        finish(ending)
        XCTAssertNotNil(ending.error, "no error in two minutes", file: file, line: line)
        return ending.error
    }

    /// Lets time pass until all `endings` have a value, for at most two minutes.
    func finish<Value>(_ endings: Ending<Value>...) { finish(endings) }

    func finish<Value>(_ endings: [Ending<Value>]) {
        let deadline = clocks.scheduler.clock + 120_000
        while clocks.scheduler.clock < deadline, endings.contains(where: { $0.value == nil }) { pass(0.1) }
    }

    func stored(in store: any CredentialStore) throws -> StoredCredential { try result(of: store.load()) }
}

extension Ending where Value == Response {
    /// The body of the response.
    var text: String? { try? value?.get().text }
}

extension Ending {
    var code: HTTPClientError.Code? { error?.code }
}
