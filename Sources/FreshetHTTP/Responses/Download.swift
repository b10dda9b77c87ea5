public import FreshetCore
public import HTTPTypes

/// The options of a download.
public struct DownloadOptions: Sendable, Hashable {
    /// The statuses whose bodies are written, except 304, which has none. Any other status is an error with code `status`, and
    /// nothing is written. The error's `response` has up to 64 KiB of the body, and `underlying` is the client's
    /// ``HTTPClient/Configuration/failure`` if the body is one.
    public var statusCodes = 200..<300
    /// Whether a download that fails or is cancelled keeps its part beside the file, as `FILE.part`, with a description in
    /// `FILE.part.info`. The next resumable download of the same URL continues this part if the server says that nothing has
    /// changed, and starts anew otherwise.
    ///
    /// Only a GET is resumed, and only a response with a strong `ETag`, or with `Last-Modified` and `Date`. One of the responses
    /// has to state the length of the file. Any other part stays until the response to the next download, which starts anew. The
    /// request does not ask for compression. The download fails with `invalidRequest` if another download, in any process,
    /// still writes the same part half a second later. It also fails so if `FILE.part` has no `FILE.part.info`, or if
    /// `FILE.part.info` is no description that a download has written. If a cancelled download of this process has not closed the
    /// part yet, the new one waits for it; the two paths have to be spelled the same.
    public var isResumable = false
    /// How often a download continues by itself after its connection was lost. It waits for up to half a second, and the wait
    /// doubles each time. A download that can't continue starts anew. The request does not ask for compression.
    public var resumes = 0
    /// Whether the file is on the disk, and not only in the system's memory, before it takes its place.
    public var isDurable = true

    public init() {}
}

/// An event of a download, in order.
public enum DownloadEvent: Sendable {
    /// An event of the download's request, except the bytes of the body.
    case request(RequestEvent)
    /// The progress of the file: at the head, and at every piece.
    case progress(DownloadProgress)
    /// The connection was lost, and the download continues at this byte after the delay.
    case resuming(at: Int, after: Duration, dueTo: any Error)
    /// The file is in its place.
    case finished(DownloadedFile)
}

/// A file that is complete.
public struct DownloadedFile: Sendable {
    public var path: String
    /// In bytes.
    public var size: Int
    /// The head of the response that delivered the last part.
    public var head: HTTPResponse
    /// The URL of that response, after redirects.
    public var url: RequestURL
}

extension HTTPClient {
    /// Downloads the response to `request` into the file at `path`.
    ///
    /// The file appears only when it is complete, and replaces an earlier file in one step. Disposing cancels the download and
    /// removes its part.
    ///
    ///     client.download(request, to: "/srv/image.iso", on: BlockingScheduler(on: loop))
    ///         .subscribe(onNext: { if case .progress(let progress) = $0 { print(progress) } })
    ///
    /// Memory is bounded: while the disk is behind, the client reads nothing from the network. Events come from the transport's
    /// thread, the last ones from a thread of `files`. A download that has failed leaves nothing behind except the part that
    /// ``DownloadOptions/isResumable`` keeps.
    ///
    /// A file that can't be written fails with code `invalidRequest` before the download begins. Later it fails in the phase
    /// `storing`: with `overloaded` if there is no room, and with `cancelled` otherwise. The ``HTTPClientError/underlying``
    /// error is a ``FileError``.
    ///
    /// A timeout that the request sets holds for the whole download, including resumed parts. The client's timeout does not,
    /// because a file may take any time; ``TransferOptions/idleTimeout`` ends a server's silence.
    ///
    /// - Parameters:
    ///   - request: what to download.
    ///   - path: the path of the file, in a folder that exists. Links are followed. A device or a pipe is written directly.
    ///   - options: what is kept, and how often a lost connection is resumed.
    ///   - files: runs the work that blocks, one piece after the other.
    public func download(
        _ request: Request, to path: String, options: DownloadOptions = DownloadOptions(),
        on files: any ImmediateSchedulerType
    ) -> Observable<DownloadEvent> {
        // Other requests can't ask for ranges, or their responses can't be joined.
        let isPlain = request.method == .get && request.body.isEmpty
        if isPlain, options.isResumable || options.resumes > 0, request.headers.contains(.range) {
            return .error(
                HTTPClientError(
                    .invalidRequest, phase: .preparing, origin: request.url.origin.description,
                    message: "a download that is resumed asks for ranges itself", recoverySuggestion: "leave Range out",
                    isUnsent: true
                ).naming(request))
        }
        let plan = DownloadPlan(
            statusCodes: options.statusCodes, isResumable: isPlain && (options.isResumable || options.resumes > 0))
        return .create(
            { observer in
                let machine = DownloadStateMachine(
                    self.beginning(request), to: path, plan: plan, maxResumes: isPlain ? options.resumes : 0,
                    coding: self.coding)
                return DownloadCall(
                    machine, to: PartialFile(path, isResumable: options.isResumable && isPlain),
                    isDurable: options.isDurable, files: files, client: self, for: observer
                ) { self.events($0) }
            }, start: { $0.start() })
    }
}

extension ObservableType where Element == RequestEvent {
    /// Writes the body to the file at `path` as `HTTPClient.download(_:to:options:on:)` does, without resuming. It is for
    /// events that went through other operators before.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - request: the request of these events.
    ///   - isDurable: whether the file is on the disk, and not only in the system's memory, when the stream completes.
    ///   - files: runs the work that blocks.
    public func saved(
        to path: String, request: Request, isDurable: Bool = true, on files: any ImmediateSchedulerType
    ) -> Observable<DownloadEvent> {
        let events = asObservable()
        let plan = DownloadPlan(statusCodes: 0..<1000, isResumable: false)
        return .create(
            { observer in
                DownloadCall(
                    DownloadStateMachine(request, to: path, plan: plan, maxResumes: 0),
                    to: PartialFile(path, isResumable: false), isDurable: isDurable, files: files, client: nil,
                    for: observer
                ) { _ in events }
            }, start: { $0.start() })
    }
}
