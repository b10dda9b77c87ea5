import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// A test of the transport with a server whose responses are scripted down to the byte.
class TransportOnScriptedServerTestCase: TransportTestCase {
    private(set) var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server.close()
        server = nil
        super.tearDown()
    }

    /// Scripts `responses`, sends a request, and waits for its end.
    func get(
        _ responses: ScriptedResponse..., method: HTTPRequest.Method = .get,
        options: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Outcome {
        for response in responses { server.enqueue(response) }
        return try outcome(transport(), server.url + "/", method: method, options: options)
    }
}
