import CFreshetUV
import Foundation
import Freshet

enum AdoptedLoop {
    /// Runs a libuv loop until the response has arrived.
    static func status(of url: String, on program: UnsafeMutablePointer<uv_loop_t>) throws -> Int? {
        let loop = try Loop(adopting: program)
        let runtime = FreshetRuntime(on: loop)
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
        var configuration = FreshetRuntime.Configuration()
        configuration.loops = LoopGroup.cores
        let runtime = try FreshetRuntime(configuration: configuration)
        defer { runtime.shutdown() }
        return try await Observable.from(urls)
            .map { runtime.client.get($0).asObservable() }
            .merge(maxConcurrent: 256)
            .map(\.status.code)
            .toArray().value
    }
}

enum OnTheLoop {
    /// Sends requests and receives the responses on the loop's own thread.
    static func statuses(of urls: [String]) async throws -> [Int] {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        return try await withTaskExecutorPreference(runtime.loop.taskExecutor) {
            var statuses: [Int] = []
            for url in urls { statuses.append(try await runtime.client.get(url).value.status.code) }
            return statuses
        }
    }
}

final class ResponseQueue: @unchecked Sendable {
    private let runtime: FreshetRuntime
    private let signal = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var handed: [Int] = []

    init(_ runtime: FreshetRuntime) {
        self.runtime = runtime
    }

    /// Called on any thread.
    func ask(_ url: String) -> any Disposable {
        runtime.client.get(url).subscribe { [self] result in
            let isFirst = lock.withLock {
                handed.append((try? result.get().status.code) ?? 0)
                return handed.count == 1
            }
            // Once for all responses of a turn.
            if isFirst { runtime.loop.afterTurn { [signal] in signal.signal() } }
        }
    }

    /// Called on the thread that receives them.
    func wait() -> [Int] {
        signal.wait()
        return lock.withLock {
            defer { handed = [] }
            return handed
        }
    }
}
