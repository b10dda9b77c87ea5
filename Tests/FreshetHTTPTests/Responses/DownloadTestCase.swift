import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// The events of a download.
struct DownloadLog {
    var progress: [DownloadProgress] = []
    var resumed: [Int] = []
    var file: DownloadedFile?
    var error: HTTPClientError?
}

/// A test that downloads from a stub to a folder of its own. It fails if resources are left at its end.
class DownloadTestCase: XCTestCase {
    private(set) var scheduler: TestScheduler!
    private(set) var transport: StubTransport!
    private(set) var folder = ""
    private var resources = 0

    override func setUp() {
        resources = Resources.total
        scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        transport = StubTransport(scheduler: scheduler)
        folder = NSTemporaryDirectory() + "download-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDown() {
        scheduler = nil
        transport = nil
        try? FileManager.default.removeItem(atPath: folder)
        XCTAssertEqual(Resources.total, resources)
    }

    var path: String { folder + "/file" }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func content(_ name: String = "file") -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func put(_ text: String, _ name: String = "file") {
        _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8))
    }

    func client(_ monitors: any ClientMonitor..., interceptors: [any RequestInterceptor] = []) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.monitors = monitors
        return HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: interceptors, configuration: configuration)
    }

    /// Downloads, and runs the virtual clock until no work is left.
    func download(
        _ url: String = "http://a/file", to path: String? = nil, headers: HTTPFields = [:],
        with configure: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> DownloadLog {
        let (log, subscription) = try startDownload(Request(.get, url, headers: headers), to: path, with: configure)
        scheduler.start()
        subscription.dispose()
        scheduler.start()
        return log.withLock { $0 }
    }

    /// Starts a download, and leaves the virtual clock to the caller.
    ///
    /// - Parameter files: performs the work with files; by default at once, on the virtual clock.
    func startDownload(
        _ request: Request, by client: HTTPClient? = nil, to path: String? = nil,
        on files: (any ImmediateSchedulerType)? = nil, with configure: (inout DownloadOptions) -> Void = { _ in }
    ) -> (log: Locked<DownloadLog>, subscription: any Disposable) {
        var options = DownloadOptions()
        configure(&options)
        let log = Locked(DownloadLog())
        let download = (client ?? self.client())
            .download(request, to: path ?? self.path, options: options, on: files ?? scheduler)
        return (log, download.subscribe { event in log.withLock { $0.record(event) } })
    }
}

extension DownloadLog {
    mutating func record(_ event: Event<DownloadEvent>) {
        switch event {
        case .next(.progress(let progress)): self.progress.append(progress)
        case .next(.resuming(let offset, _, _)): resumed.append(offset)
        case .next(.finished(let file)): self.file = file
        case .next(.request): break
        case .error(let error): self.error = error as? HTTPClientError
        case .completed: XCTAssertNotNil(file)
        }
    }
}

/// Runs each piece of work when the test calls `runOne`.
final class StalledScheduler: ImmediateSchedulerType {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        waiting.withLock { $0.append { _ = action(state) } }
        return Disposables.create()
    }

    /// - Returns: whether there was work.
    @discardableResult
    func runOne() -> Bool {
        let work = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        work?()
        return work != nil
    }

    /// Releases the work without running it, as a loop does that is shut down.
    func drop() {
        // The work is released outside of the lock, because that can schedule more.
        _ = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
