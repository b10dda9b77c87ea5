import CFreshetUV
import Freshet

enum AdoptedLoop {
    /// Runs a libuv loop until the answer has come.
    static func status(of url: String, on program: UnsafeMutablePointer<uv_loop_t>) throws -> Int? {
        let loop = try Loop(adopting: program)
        let runtime = Runtime(on: loop)
        nonisolated(unsafe) var status: Int?
        let request = runtime.client.get(url).subscribe { result in
            // On the program's own thread, for that is where the loop runs.
            if case .success(let response) = result { status = response.status.code }
            runtime.shutdown()
            loop.shutdown()
        }
        // The program's own run: it returns when nothing is left on the loop.
        uv_run(program, UV_RUN_DEFAULT)
        request.dispose()
        return status
    }
}

enum ManyLoops {
    static func statuses(of urls: [String]) async throws -> [Int] {
        var configuration = Runtime.Configuration()
        configuration.loops = LoopGroup.cores
        let runtime = try Runtime(configuration: configuration)
        defer { runtime.shutdown() }
        return try await Observable.from(urls)
            .map { runtime.client.get($0).asObservable() }
            .merge(maxConcurrent: 256)
            .map(\.status.code)
            .toArray().value
    }
}
