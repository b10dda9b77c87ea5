public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Requests and responses in a HAR 1.2 file: written while they happen, or played back without a network.
///
///     let recording = try HTTPRecording(at: "session.har", mode: .record, scheduler: runtime.scheduler)
///     let client = runtime.client.with(layers: [recording])
///
/// It is the innermost layer: each hop and each attempt is an entry. Secrets are masked in header fields, cookies, queries
/// and bodies: those of the usual names, those that interceptors placed, and those of the names and texts that you add. A text of at
/// least 8 characters that was masked once in a request is masked wherever it occurs in that request and its response. A text
/// that was masked once in a response is masked wherever it occurs in that response; but a cookie is masked only where it
/// stands, and the value of another field stays clear in URLs, because the next request can go there. Numbers, and the texts
/// inside an object with a secret name, are masked only where they stand. A file is readable after each entry, even if the
/// process is killed, and several processes can add to it.
///
/// A recording keeps up to 64 MiB of each body in memory until its entry is written, and writes the entry on the thread that
/// delivers the end of the response. So it is for tests and for the search for an error, and not for a service under load. The
/// rest of a longer response is left out, and its replay ends with `tooLarge`. Of a longer request the file has a digest.
///
/// A body from a file is read once before it is sent. A body that can be read only once is sent, and is not in the recording:
/// ``Mode/replay`` refuses such a request with `notRecorded`, and ``Mode/replayOrRecord`` sends it.
///
/// A replay compares method, URL and body, after masking. Equal requests get their responses in the order in which the recorded
/// requests began, and the last one is repeated. Streams keep their pauses. A response that was left before its end is silent
/// after what had come. A request that is not in the file fails with code `notRecorded`, and the error names the nearest entry
/// and the difference. Source: HAR 1.2.
public final class HTTPRecording: TransportLayer {
    public enum Mode: Sendable, Hashable {
        /// Sends all requests, and writes a new file.
        case record
        /// Responds from the file, and never sends.
        case replay
        /// Responds from the file, sends the requests that are not in it, and adds them. Requests for tokens and
        /// device codes, registrations and revocations are always sent.
        case replayOrRecord
    }

    public let mode: Mode
    private let speed: Double
    private let secrets: FurtherSecrets
    private let scheduler: any SchedulerType
    private let files: any ImmediateSchedulerType
    private let secondsSince1970: @Sendable () -> Double
    private let file: HARFile?
    private let library: RecordedResponses

    /// - Parameters:
    ///   - path: the file. Only its owner can read it.
    ///   - mode: whether requests are sent.
    ///   - speed: how many times faster than recorded streams are played; 0 plays them at once.
    ///   - names: further names whose values are masked, of header fields and of members of queries, forms and JSON. Their case,
    ///     and `-` and `_` in them, do not matter.
    ///   - texts: further texts of at least 8 characters that are masked wherever they occur, such as keys of the program. A text
    ///     that is a number is not.
    ///   - scheduler: the clock of timings and pauses.
    ///   - files: reads the files of request bodies, which blocks; by default within the call.
    ///   - secondsSince1970: the wall clock.
    ///   - failed: called once, with a message, when nothing can be recorded any more, because the disk is full or failing.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be read or written, or is not a recording.
    @preconcurrency
    public init(
        at path: String, mode: Mode, speed: Double = 1, masking names: Set<String> = [], texts: Set<String> = [],
        scheduler: any SchedulerType,
        files: any ImmediateSchedulerType = ImmediateScheduler.instance,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        failed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.mode = mode
        self.speed = speed
        secrets = FurtherSecrets(names: names, texts: texts)
        self.scheduler = scheduler
        self.files = files
        self.secondsSince1970 = secondsSince1970
        if mode == .replay {
            file = nil
            library = RecordedResponses(try HARDocument(at: path).log.entries, masking: secrets)
        } else {
            let file = try HARFile(path, keepsEntries: mode == .replayOrRecord, failed: failed)
            self.file = file
            library = RecordedResponses(file.entries, masking: secrets)
        }
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { [self] request, receiver in
            guard mode != .record else { return recorded(request, receiver, transport) }
            return request.prepared(by: receiver).flatMap { [self] final in
                described(final).map { (final, $0) }
            }.asObservable().flatMap { [self] final, described -> Observable<ResponsePart> in
                // A recorded token is masked, and must not replace a valid one.
                let isPlayed = mode == .replay || !described.needsNewResponse
                if isPlayed, let entry = library.next(described) {
                    receiver.willSend(final)
                    return PlayedResponse(entry, speed, scheduler).parts
                        .startWith(.phase(.layer(LayerEvent("recording", "replayed"))))
                }
                guard mode == .replayOrRecord else {
                    return .refused(LayerEvent("recording", "not_recorded"), library.failure(described, final))
                }
                return recorded(request, receiver, transport)
            }
        })
    }

    private func described(_ request: Request) -> Single<RecordedRequest> {
        if let body = RecordedBody(inMemory: request.body) {
            return .just(RecordedRequest(request, body, masking: secrets))
        }
        return RecordedBody.read(request, on: files).map { [secrets] in
            RecordedRequest($0.request, $0.body, masking: secrets)
        }.observe(on: scheduler)
    }

    private func recorded(
        _ request: Request, _ receiver: any TransferReceiver, _ transport: any Transport
    ) -> Observable<ResponsePart> {
        let exchange = RecordedExchange(receiver, masking: secrets, scheduler, files, secondsSince1970)
        let write: @Sendable () -> Void = { [file] in
            if let entry = exchange.takeEntry() { file?.append(entry) }
        }
        // The caller may read the file as soon as it has the response. A caller that cancels gets no end.
        return transport.parts(request, for: exchange).do(
            onNext: { exchange.record($0) },
            onError: { error in
                exchange.record(error)
                write()
            },
            onCompleted: {
                exchange.complete()
                write()
            },
            onDispose: write
        ).startWith(.phase(.layer(LayerEvent("recording", "recorded"))))
    }
}
