import Freshet

#if Redis
    import FreshetRedis
#endif

/// Stores in Redis. They exist if the command was built with the trait `Redis`.
enum RedisStores {
    /// Why `url` can't be used for a store; `nil` if it can.
    static func refusal(of url: String) -> String? {
        #if Redis
            do {
                try RedisStore.check(url)
                return nil
            } catch {
                return "\(error)"
            }
        #else
            return "this freshet was built without Redis; build it with"
                + " `swift build -c release --product freshet --traits Redis`, which needs libhiredis-dev,"
                + " or use file:PATH"
        #endif
    }

    static func store(_ url: String, on runtime: FreshetRuntime) throws -> any CredentialStore {
        #if Redis
            return try RedisStore(url, on: runtime.loop)
        #else
            throw StoreError(refusal(of: url) ?? "")
        #endif
    }
}
