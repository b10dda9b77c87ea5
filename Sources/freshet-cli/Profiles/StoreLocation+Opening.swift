import Freshet

extension StoreLocation {
    func opened(on runtime: FreshetRuntime) throws -> any CredentialStore {
        switch self {
        case .memory: MemoryStore()
        case .file(let path): runtime.fileStore(path)
        case .redis(let url, _): try RedisStores.store(url, on: runtime)
        case .sealed(let path, let key): FileStore.sealed(path: path, key: key, scheduler: runtime.storeScheduler)
        case .keyring(let name, let path): FileStore.keyring(name, path: path, scheduler: runtime.storeScheduler)
        case .helper(let name, let server, let path):
            HelperNotingStore(
                store: try FileStore.helper(name, server: server, path: path, scheduler: runtime.storeScheduler),
                helper: "docker-credential-\(name)", scheduler: runtime.scheduler)
        }
    }

    /// - Throws: ``HTTPClientError`` with code `store` for a store in memory, which would lose the login.
    func openedForLogin(on runtime: FreshetRuntime) throws -> any CredentialStore {
        if case .memory = self {
            throw HTTPClientError(
                .store, phase: .storing,
                message: "a memory: store ends with this process", recoverySuggestion: "use file:PATH in the profile")
        }
        return try opened(on: runtime)
    }
}
