import Freshet
import FreshetHTTPTesting

/// The examples of the page of this name.
enum RecordAndReplayExample {
    static func live(at path: String, _ runtime: FreshetRuntime) throws -> HTTPClient {
        let client = try runtime.client.recorded(at: path)
        return client
    }

    static func onVirtualTime(at path: String, _ scheduler: any SchedulerType) throws -> HTTPClient {
        let client = try HTTPClient.recorded(at: path, scheduler: scheduler)
        return client
    }
}
