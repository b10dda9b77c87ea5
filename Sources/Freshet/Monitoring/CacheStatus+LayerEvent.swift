import FreshetHTTP

extension LayerEvent {
    /// The status of a cache under the names of its states.
    init(_ status: CacheStatus) {
        let name =
            switch status {
            case .hit: "hit"
            case .stale: "stale"
            case .revalidated: "revalidated"
            case .miss: "miss"
            }
        self.init("cache", name)
    }
}
