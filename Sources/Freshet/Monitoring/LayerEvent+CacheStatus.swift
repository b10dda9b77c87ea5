import FreshetHTTP

extension LayerEvent {
    /// Creates the event that reports the status of a cache, under the status's name.
    init(_ status: CacheStatus) {
        let name =
            switch status {
            case .hit: "hit"
            case .stale: "stale"
            case .revalidated: "revalidated"
            case .miss: "miss"
            case .unsatisfiable: "unsatisfiable"
            }
        self.init("cache", name)
    }
}
