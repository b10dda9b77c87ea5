import ArgumentParser
import Foundation
import Freshet
import Synchronization

/// The options for the layers between the requests and the network.
struct LayerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep responses in a folder and use them again (RFC 9111).", valueName: "folder"), completion: .directory)
    var cache: String?

    @Option(help: ArgumentHelp("The largest size of the folder of --cache (default: 268435456).", valueName: "bytes"))
    var cacheSize: Int?

    @Flag(help: "Send identical GETs and HEADs that are under way at the same time as one request.")
    var coalesce = false

    @Option(
        help: ArgumentHelp(
            "Send so many requests per second (20/s) or minute (90/m) to each origin, or as many as its responses allow (auto).",
            valueName: "rate"))
    var rateLimit: RateArgument?

    @Option(
        help: ArgumentHelp(
            "How many requests --rate-limit lets out at once after a pause (default: 1).", valueName: "n"))
    var burst: Int?

    @Option(
        help: ArgumentHelp(
            "Ask hosts by https that have said so (RFC 6797), and keep them in this file, in curl's format.",
            valueName: "file"),
        completion: .file())
    var hsts: String?

    @Option(
        help: ArgumentHelp(
            "Write all requests and responses to a HAR file, without secrets.",
            discussion: """
                Each command writes a new recording, which replaces an earlier one in the file. `freshet run -c 1 \
                --record FILE` records a whole sequence.
                """,
            valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        help: ArgumentHelp("Respond from a HAR file, and send nothing.", valueName: "file"), completion: .file())
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Respond from a HAR file, send what it does not have, and add that.",
            discussion: "A command that repeats a request of an earlier one gets the response that was recorded first.",
            valueName: "file"),
        completion: .file())
    var replayOrRecord: String?

    @Option(help: ArgumentHelp("Play streams so many times faster; 0 is at once (default: 1).", valueName: "x"))
    var replaySpeed: DecimalNumber?

    /// The files that the options name.
    var files: [(option: String, path: String?)] {
        [
            ("--record", record), ("--replay", replay), ("--replay-or-record", replayOrRecord), ("--hsts", hsts),
        ]
    }

    func validate() throws {
        try NamedFiles.check(files)
        try NamedFiles.checkDiffer(("--hsts", hsts), files.dropLast())
        if [record, replay, replayOrRecord].count(where: { $0 != nil }) > 1 {
            throw ValidationError("--record, --replay and --replay-or-record exclude each other")
        }
        if record == "-" || replayOrRecord == "-" {
            throw ValidationError("a recording needs a file, because each entry replaces its end; name one")
        }
        if let replaySpeed, replaySpeed.value < 0 { throw ValidationError("--replay-speed is a number from 0 up") }
        if replaySpeed != nil, replay ?? replayOrRecord == nil {
            throw ValidationError("--replay-speed goes with --replay or --replay-or-record")
        }
        if let burst, burst < 1 { throw ValidationError("--burst is a number from 1 up") }
        if cache == "" { throw ValidationError("--cache names no folder") }
        if let cacheSize, cacheSize < 1 { throw ValidationError("--cache-size is a number from 1 up") }
    }

    /// The layers, the outermost first.
    ///
    /// - Parameter timeout: the timeout of a request. A request that would wait longer for the rate limit fails at once.
    func layers(
        _ profile: Profile?, on runtime: FreshetRuntime, timeout: Duration?
    ) throws -> [any TransportLayer] {
        if cacheSize != nil, cache == nil, profile?.cache == nil {
            throw ValidationError("--cache-size limits the cache of --cache; add --cache FOLDER")
        }
        if burst != nil, rateLimit == nil, profile?.rateLimit == nil {
            throw ValidationError("--burst goes with --rate-limit; add --rate-limit RATE")
        }
        var layers: [any TransportLayer] = []
        if let folder = cache ?? profile?.cache {
            let store = try DiskCacheStore(
                at: folder, maximumSize: cacheSize ?? 256 << 20, scheduler: runtime.files,
                failed: { Console.report("note: \($0)") })
            layers.append(HTTPCache(store: store))
        }
        if coalesce { layers.append(Coalescing()) }
        if let rate = rateLimit ?? profile?.rateLimit {
            layers.append(
                RateLimit(rate.rule(burst: burst ?? 1), maximumWait: timeout, scheduler: runtime.scheduler))
        }
        return layers
    }

    /// The recording, under all other layers. Refreshes go through it too.
    ///
    /// - Parameter secrets: texts that are masked wherever they occur.
    func recording(masking secrets: Set<String>) throws -> HTTPRecording? {
        let modes: [(String?, HTTPRecording.Mode)] = [
            (record, .record), (replay, .replay), (replayOrRecord, .replayOrRecord),
        ]
        guard case (let path?, let mode)? = modes.first(where: { $0.0 != nil }) else { return nil }
        return try HTTPRecording(
            at: path, mode: mode, speed: replaySpeed?.value ?? 1, texts: secrets,
            scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "freshet.recording"),
            files: ConcurrentDispatchQueueScheduler(qos: .default),
            failed: {
                Self.isRecordingIncomplete.store(true, ordering: .releasing)
                Console.report("store: \($0); make space on the disk, or name a file elsewhere")
            })
    }

    /// Whether an entry of the recording could not be written, which is a failure of a command that is otherwise well.
    static let isRecordingIncomplete = Atomic(false)

    /// The hosts that are contacted only over https.
    func hstsStore(_ profile: Profile?) throws -> (store: HSTSStore, path: String)? {
        guard let path = hsts ?? profile?.hsts else { return nil }
        guard !path.isEmpty else { throw ValidationError("--hsts names no file") }
        let text: String
        do {
            text = String(decoding: try readAll(from: path, limit: longestOwnFile), as: UTF8.self)
        } catch let error as SystemError where error.code == ENOENT {
            return (HSTSStore(), path)
        } catch {
            throw HTTPClientError.refusal("the file \(path) of --hsts can't be read: \(error)", "name another")
        }
        guard Self.isListOfHosts(text) else {
            throw HTTPClientError.refusal(
                "\(path) is no list of HSTS, and would be replaced by one", "name another file, or remove it first",
                code: .store)
        }
        return (HSTSStore(file: text), path)
    }

    /// Whether `text` is empty or in curl's format. Any other file was probably named by mistake.
    private static func isListOfHosts(_ text: String) -> Bool {
        // At the time 0 no entry has expired.
        let atTheBeginning: @Sendable () -> Double = { 0 }
        let hasEntry =
            HSTSStore(file: text, secondsSince1970: atTheBeginning).file
            != HSTSStore(secondsSince1970: atTheBeginning).file
        return hasEntry || text.hasPrefix("# Your HSTS cache") || text.allSatisfy(\.isWhitespace)
    }
}
