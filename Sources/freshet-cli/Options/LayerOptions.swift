import ArgumentParser
import Foundation
import Freshet

/// The options for the layers between the requests and the network.
struct LayerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep responses in a folder and use them again (RFC 9111).", valueName: "folder"), completion: .directory)
    var cache: String?

    @Option(help: ArgumentHelp("The size of the cache (default: 268435456).", valueName: "bytes"))
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

    func validate() throws {
        if let burst, burst < 1 { throw ValidationError("--burst is a number from 1 up") }
        if burst != nil, rateLimit == nil { throw ValidationError("--burst goes with --rate-limit") }
        if cache == "" { throw ValidationError("--cache names no folder") }
        if let cacheSize, cacheSize < 1 { throw ValidationError("--cache-size is a number from 1 up") }
    }

    /// The layers, the outermost first.
    ///
    /// - Parameter timeout: of a request. One that would wait longer for the rate limit fails at once.
    func layers(
        _ profile: Profile?, on runtime: FreshetRuntime, timeout: Duration?
    ) throws -> [any TransportLayer] {
        var layers: [any TransportLayer] = []
        if let folder = cache ?? profile?.cache {
            let store = try DiskCacheStore(
                at: folder, maximumSize: cacheSize ?? 256 << 20, scheduler: runtime.files,
                failed: { Console.write("freshet: note: \($0)\n") })
            layers.append(HTTPCache(store: store))
        }
        if coalesce { layers.append(Coalescing()) }
        if let rate = rateLimit ?? profile?.rateLimit {
            layers.append(
                RateLimit(rate.rule(burst: burst ?? 1), maximumWait: timeout, scheduler: runtime.scheduler))
        }
        return layers
    }

    /// The hosts that are asked by https alone.
    func hstsStore(_ profile: Profile?) throws -> (store: HSTSStore, path: String)? {
        guard let path = hsts ?? profile?.hsts else { return nil }
        guard FileManager.default.fileExists(atPath: path) else { return (HSTSStore(), path) }
        return (HSTSStore(file: String(decoding: try readAll(from: path), as: UTF8.self)), path)
    }
}
