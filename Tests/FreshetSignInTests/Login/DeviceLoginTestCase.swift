import FreshetCore
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// The responses of a server for logins by device.
class DeviceLoginTestCase: XCTestCase {
    private var resources = 0
    let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .badRequest)
    let granted = ScriptedResponse.json(#"{"access_token":"a","refresh_token":"r"}"#)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func code(_ members: String = #","interval":5"#, life: Int = 900) -> ScriptedResponse {
        .json(
            """
            {"device_code":"dc","user_code":"AB-CD","verification_uri":"https://id.example/activate","expires_in":\(life)\
            \(members)}
            """)
    }

    func run(_ responses: ScriptedResponse...) throws -> LoginBench {
        let bench = LoginBench()
        for response in responses { bench.script(response) }
        bench.run(try bench.device().events())
        return bench
    }
}
