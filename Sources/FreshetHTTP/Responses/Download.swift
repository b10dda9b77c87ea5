public import FreshetCore
public import HTTPTypes

/// How a file is downloaded.
public struct DownloadOptions: Sendable, Hashable {
    /// The statuses whose bodies are written; any other one is an error with code `status`, and nothing is.
    public var statusCodes = 200..<300
    /// Whether what has come of a download that fails, or is left, stays beside the file as `FILE.part`, with `FILE.part.info`
    /// that says of what it is a part. The next such download of the same address goes on there, if the server says that
    /// nothing has changed, and else begins anew.
    ///
    /// It takes a GET, and an answer with a strong `ETag`, or with `Last-Modified` and `Date`; others begin anew. No
    /// compression is asked for. One that another download is at, in any process, fails with `invalidRequest`.
    public var isResumable = false
    /// How often a download whose connection was lost goes on by itself, after a wait of up to half a second, which
    /// doubles. What can't be gone on with is begun anew. No compression is asked for.
    public var resumes = 0
    /// Whether the file is on the disk, and not only in the system's memory, before it takes its place.
    public var isDurable = true

    public init() {}
}

/// What happens to a download, in order.
public enum DownloadEvent: Sendable {
    /// What happens to its request, but for the bytes of the body.
    case request(RequestEvent)
    /// How far the file has come: at the head, and at every piece.
    case progress(DownloadProgress)
    /// The connection was lost, and the download goes on at this byte, after `delay`.
    case resuming(at: Int, after: Duration, dueTo: any Error)
    /// The file is in its place.
    case finished(DownloadedFile)
}

/// A file that is complete.
public struct DownloadedFile: Sendable {
    public var path: String
    /// In bytes.
    public var size: Int
    /// The head of the answer that brought its last part.
    public var head: HTTPResponse
    /// Where that came from, after redirects.
    public var url: RequestURL
}

extension HTTPClient {
    /// Downloads the answer to `request` to the file at `path`, which appears when it is complete and not before; what was
    /// there is replaced, in one step. Disposing cancels, and removes what there is of it.
    ///
    ///     client.download(request, to: "/srv/image.iso", on: BlockingScheduler(on: loop))
    ///         .subscribe(onNext: { if case .progress(let progress) = $0 { print(progress) } })
    ///
    /// Memory is bounded: while the disk is behind, nothing is read from the network. Events come from the transport's
    /// thread, the last ones from a thread of `files`; when one has failed, nothing of it is left but what
    /// ``DownloadOptions/isResumable`` keeps. A file that can't be written fails with code `invalidRequest`, later on with
    /// `cancelled` in the phase `storing`; the ``HTTPClientError/underlying`` error is a ``FileError``.
    ///
    /// A timeout of the request's own holds for all of it, resumed parts included. The client's does not: a file takes as
    /// long as it takes, and ``TransferOptions/idleTimeout`` ends a server's silence.
    ///
    /// - Parameters:
    ///   - request: what to download.
    ///   - path: links are followed. A device or a pipe is written as it is.
    ///   - options: what is kept, and how often a lost connection is made again.
    ///   - files: does what blocks, which comes one piece after the other.
    public func download(
        _ request: Request, to path: String, options: DownloadOptions = DownloadOptions(),
        on files: any ImmediateSchedulerType
    ) -> Observable<DownloadEvent> {
        // Other requests can't be asked for in parts, or their answers don't bear being put together.
        let isPlain = request.method == .get && request.body.isEmpty
        if isPlain, options.isResumable || options.resumes > 0, request.headers.contains(.range) {
            return .error(
                HTTPClientError(
                    .invalidRequest, phase: .preparing, origin: request.url.origin.description,
                    message: "a download that is resumed asks for ranges itself", recoverySuggestion: "leave Range out",
                    isUnsent: true))
        }
        let plan = DownloadPlan(
            statusCodes: options.statusCodes, isResumable: isPlain && (options.isResumable || options.resumes > 0))
        let scheduler = scheduler
        return .create(
            { observer in
                DownloadCall(
                    to: PartialFile(path, isResumable: options.isResumable && isPlain), at: path, request: request,
                    plan: plan, resumes: isPlain ? options.resumes : 0, isDurable: options.isDurable, files: files,
                    clock: scheduler, for: observer
                ) { self.events($0) }
            }, start: { $0.start() })
    }
}

extension ObservableType where Element == RequestEvent {
    /// Writes the body to the file at `path` as `HTTPClient.download(_:to:options:on:)` does, without resuming: for events
    /// that went through other operators before.
    ///
    /// - Parameters:
    ///   - path: the file's.
    ///   - request: the one whose events these are.
    ///   - isDurable: whether it is on the disk, and not only on its way there, when the stream completes.
    ///   - files: does what blocks.
    public func saved(
        to path: String, request: Request, isDurable: Bool = true, on files: any ImmediateSchedulerType
    ) -> Observable<DownloadEvent> {
        let events = asObservable()
        let plan = DownloadPlan(statusCodes: 0..<1000, isResumable: false)
        return .create(
            { observer in
                DownloadCall(
                    to: PartialFile(path, isResumable: false), at: path, request: request, plan: plan, resumes: 0,
                    isDurable: isDurable, files: files, clock: nil, for: observer
                ) { _ in events }
            }, start: { $0.start() })
    }
}
