import Freshet
import HTTPTypes

/// The examples of the page about responses.
enum ResponsesExample {
    static func text(_ url: String, client: HTTPClient) -> Single<String> {
        client.get(url).validate().text()
    }

    static func lines(of request: Request, client: HTTPClient) -> Observable<String> {
        client.lines(request).filter { $0.contains("error") }.take(10)
    }

    static func size(of request: Request, client: HTTPClient) -> Single<Int> {
        client.bodyParts(request).reduce(0) { $0 + $1.count }.asSingle()
    }

    static func watched(_ request: Request, client: HTTPClient) -> Single<Response> {
        let events = client.events(request)
            .do(onNext: { event in
                switch event {
                case .informational(let head): print("meanwhile: \(head.status)")
                case .trailers(let fields): print("afterwards: \(fields.count) fields")
                default: break
                }
            })
        return events.collected(limit: 1 << 20, origin: request.url.origin)
    }

    static func limited(_ url: String, client: HTTPClient) throws -> Observable<[UInt8]> {
        var request = try Request(.get, url)
        var transfer = TransferOptions()
        transfer.maximumBodySize = 10 << 20
        transfer.maximumDecodingRatio = 50
        request.transfer = transfer
        return client.bodyParts(request)
    }

    static func download(
        _ url: String, to path: String, runtime: FreshetRuntime, show: @escaping @Sendable (Double) -> Void
    ) throws -> Single<DownloadedFile> {
        var options = DownloadOptions()
        options.isResumable = true
        options.resumes = 5
        return runtime.client
            .download(try Request(.get, url), to: path, options: options, on: runtime.files)
            .do(onNext: { event in
                if case .progress(let progress) = event { show(progress.fraction ?? 0) }
            })
            .compactMap { event in
                if case .finished(let file) = event { file } else { nil }
            }
            .asSingle()
    }
}
