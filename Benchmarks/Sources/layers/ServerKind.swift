import Foundation
import Freshet
import FreshetHTTPTesting

/// How a server responds.
enum ServerKind: String {
    /// At once.
    case prompt
    /// After 2 to 8 ms, and each hundredth time after 100 ms.
    case slowAtTimes
    /// One request after the other, 2.5 ms each: 400 per second. Work goes on for callers that have left. If a request would
    /// wait for more than a second, the response is 503, which takes half as long as a good one.
    case limited

    /// Serves until the end of standard input. It prints the URL, and for each line the number of requests so far.
    func serve() throws {
        let loop = try Loop(name: "server")
        let server = try ScriptedServer(on: loop, script: ResponseScript(keepsRequests: false))
        let response = response()
        server.route { response($0) }
        func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
        say(server.url)
        while readLine() != nil { say("\(server.requestCount)") }
        server.close()
        loop.shutdown()
    }

    private func response() -> @Sendable (RecordedRequest) -> ScriptedResponse {
        let body = String(repeating: "a", count: 200)
        switch self {
        case .prompt: return { _ in ScriptedResponse(body: body) }
        case .slowAtTimes:
            return { request in
                let delay = request.number.isMultiple(of: 100) ? 100 : 2 + request.number % 7
                return ScriptedResponse(body: body).after(.milliseconds(delay))
            }
        case .limited:
            let work = Duration.microseconds(2500)
            let free = Locked(ContinuousClock.now)
            return { _ in
                let now = ContinuousClock.now
                return free.withLock { free in
                    free = max(free, now)
                    guard free - now < .seconds(1) else {
                        free += work / 2
                        return ScriptedResponse(status: .serviceUnavailable)
                    }
                    free += work
                    return ScriptedResponse(body: body).after(free - now)
                }
            }
        }
    }
}
