import Freshet

/// The examples of the page of this name.
enum DownloadProgressExample {
    static func download(
        _ url: String, to path: String, on runtime: FreshetRuntime, show: @escaping @Sendable (String) -> Void
    ) async throws {
        let download = runtime.client.download(try Request(.get, url), to: path, on: runtime.files)
        for try await event in download.values {
            switch event {
            case .progress(let progress): show(text(progress))
            case .resuming(let byte, _, let error): show("continues at byte \(byte) after \(error)")
            case .finished(let file): show("\(file.size) bytes in \(file.path)")
            case .request: break
            }
        }
    }

    static func text(_ progress: DownloadProgress) -> String {
        progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.received) bytes"
    }

    static func percents(of download: Observable<DownloadEvent>, on scheduler: any SchedulerType) -> Observable<Int> {
        download
            .compactMap { if case .progress(let progress) = $0 { progress.fraction } else { nil } }
            .map { Int($0 * 100) }
            .distinctUntilChanged()
            .throttle(.milliseconds(100), scheduler: scheduler)
    }

    static func bytes(of request: Request, by client: HTTPClient) -> Observable<DownloadProgress> {
        client.events(request).validate(statusCodes: 200..<300).downloadProgress()
    }

    static func upload(_ file: String, to url: String, by client: HTTPClient) throws -> Observable<UploadProgress> {
        client.events(try Request(.put, url, body: .file(file))).validate().uploadProgress()
    }
}
