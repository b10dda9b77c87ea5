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
        var options = DownloadOptions()
        configure(&options)
        let box = Locked(DownloadLog())
        let request = try Request(.get, url, headers: headers)
        let subscription = client().download(request, to: path ?? self.path, options: options, on: scheduler)
            .subscribe { event in box.withLock { $0.record(event) } }
        scheduler.start()
        subscription.dispose()
        scheduler.start()
        return box.withLock { $0 }
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
