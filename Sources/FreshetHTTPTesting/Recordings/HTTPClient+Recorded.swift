import FoundationEssentials
public import FreshetCore
public import FreshetHTTP
import FreshetLayers

extension HTTPClient {
    /// Makes a client for a test, that responds from a recording and records what the mode says.
    ///
    ///     let client = try runtime.client.recorded(at: "Tests/AppTests/Recordings/items.har")
    ///
    /// The first run sends the requests and writes the file; all later runs need no server. `FRESHET_RECORD=1 swift test`
    /// records anew: the variable replaces the mode of each recording; see `RecordMode.environmentVariable`. The recording, an
    /// `HTTPRecording`, which masks secrets and compares requests, replaces the transport. So it stays when the program sets
    /// other layers. Several clients, such as the one for refreshes, can record into one file at the same time. Each test
    /// needs a file of its own, because a recording that begins anew removes the requests of an earlier test.
    ///
    /// - Parameters:
    ///   - path: the HAR file, from the folder in which the test runs. A recording creates the folders that are missing.
    ///   - mode: which requests are sent.
    ///   - speed: how many times faster than recorded streams are played; 0 plays them at once.
    ///   - names: further names whose values are masked; see `HTTPRecording`.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be read or written, and with code `invalidRequest` if the
    ///   variable names no mode.
    public func recorded(
        at path: String, mode: RecordMode = .once, speed: Double = 1, masking names: Set<String> = []
    ) throws -> HTTPClient {
        let variable = ProcessInfo.processInfo.environment[RecordMode.environmentVariable]
        let requested = try mode.replaced(by: variable)
        return over(
            try OpenRecordings.shared.recording(at: path, requested) { mode in
                try HTTPRecording(at: path, mode: mode, speed: speed, masking: names, scheduler: scheduler)
            }.wrapping)
    }

    /// Makes a client without a network, that responds from a recording and never sends.
    ///
    ///     let client = try HTTPClient.recorded(at: "Tests/AppTests/Recordings/chat.har", scheduler: scheduler)
    ///
    /// On a `TestScheduler` the pauses of a recorded stream take virtual time.
    ///
    /// - Parameters:
    ///   - path: the HAR file, from the folder in which the test runs.
    ///   - speed: how many times faster than recorded streams are played; 0 plays them at once.
    ///   - names: further names whose values are masked; see `HTTPRecording`.
    ///   - scheduler: the clock of the client and of the pauses.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be read.
    public static func recorded(
        at path: String, speed: Double = 1, masking names: Set<String> = [], scheduler: any SchedulerType
    ) throws -> HTTPClient {
        let recording = try HTTPRecording(at: path, mode: .replay, speed: speed, masking: names, scheduler: scheduler)
        return HTTPClient(transport: recording.wrapping(StubTransport()), scheduler: scheduler)
    }
}

/// The recordings of this process that write their file, for further clients that record into it.
private final class OpenRecordings: Sendable {
    static let shared = OpenRecordings()

    private struct Entry: Sendable {
        weak var recording: HTTPRecording?
    }

    private let entries = Locked<[String: Entry]>([:])

    /// Returns the recording that is open at `path`, if the mode shares it, or the one that `make` makes. All of it is one
    /// step, because two recordings of one file would overwrite each other.
    func recording(
        at path: String, _ requested: RecordMode, _ make: (HTTPRecording.Mode) throws -> HTTPRecording
    ) throws -> HTTPRecording {
        try entries.withLock { entries in
            if requested.sharesRecording, let open = entries[Self.key(of: path)]?.recording { return open }
            let mode = requested.recording(at: path)
            if mode != .replay {
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            let recording = try make(mode)
            if mode == .record { entries[Self.key(of: path)] = Entry(recording: recording) }
            return recording
        }
    }

    /// Returns the same text for all spellings of a path.
    private static func key(of path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().standardizedFileURL
        return folder.appendingPathComponent(url.lastPathComponent).path
    }
}
