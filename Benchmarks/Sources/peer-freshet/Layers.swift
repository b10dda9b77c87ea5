import Freshet
import Peer

extension PeerOptions {
    /// The layers that the words ask for, in the order in which they are listed.
    func layers(_ runtime: FreshetRuntime) throws -> [any TransportLayer] {
        try layers.compactMap { name -> (any TransportLayer)? in
            switch name {
            case "none": nil
            case "cache": HTTPCache(store: MemoryCacheStore())
            case "disk-cache":
                HTTPCache(store: try DiskCacheStore(at: try folder(), scheduler: runtime.files))
            case "coalescing": Coalescing()
            case "hedging": Hedging(budget: RetryBudget(scheduler: runtime.scheduler), scheduler: runtime.scheduler)
            case "breaker": CircuitBreaking(scheduler: runtime.scheduler)
            case "bulkhead": Bulkhead(limit: 1000)
            case "rate": RateLimit(.fixed(perSecond: 1e6, burst: 1000), scheduler: runtime.scheduler)
            default: throw UnknownLayer(name: name)
            }
        }
    }

    private func folder() throws -> String {
        guard let cacheFolder else { throw UnknownLayer(name: "a disk cache without --cache-folder") }
        return cacheFolder
    }
}

private struct UnknownLayer: Error {
    let name: String
}
