import ArgumentParser
import Freshet

/// The options for the layers between the requests and the network.
struct LayerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep responses in a folder and use them again (RFC 9111).", valueName: "folder"), completion: .directory)
    var cache: String?

    @Option(help: ArgumentHelp("The size of the cache (default: 268435456).", valueName: "bytes"))
    var cacheSize: Int?

    func validate() throws {
        if cache == "" { throw ValidationError("--cache names no folder") }
        if let cacheSize, cacheSize < 1 { throw ValidationError("--cache-size is a number from 1 up") }
    }

    /// The layers, the outermost first.
    func layers(_ profile: Profile?, on runtime: FreshetRuntime) throws -> [any TransportLayer] {
        guard let folder = cache ?? profile?.cache else { return [] }
        let store = try DiskCacheStore(
            at: folder, maximumSize: cacheSize ?? 256 << 20, scheduler: runtime.files,
            failed: { Console.write("freshet: note: \($0)\n") })
        return [HTTPCache(store: store)]
    }
}
