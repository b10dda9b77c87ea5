import Freshet

/// The example of the page of this name.
enum ComingFromAsyncHTTPClient {
    static func size(of url: String) async throws -> Int {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }

        var request = try Request(.get, url, headers: [.accept: "application/octet-stream"])
        request.timeout = .seconds(30)
        let parts = runtime.client.events(request).validate(statusCodes: [200]).bodyParts()
        var size = 0
        for try await part in parts.values { size += part.count }
        return size
    }
}
