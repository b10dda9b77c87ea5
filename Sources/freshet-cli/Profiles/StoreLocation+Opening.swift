import Freshet

extension StoreLocation {
    func opened(on runtime: FreshetRuntime) throws -> any CredentialStore {
        switch self {
        case .absent(let profile):
            throw HTTPClientError.refusal(
                "the profile \(profile) has no store: it sends its headers, and needs no login",
                "for a credential beside them, add \"store\" to the profile", code: .store)
        case .memory: MemoryStore()
        case .file(let path): runtime.fileStore(path)
        case .redis(let url, _): try RedisStores.store(url, on: runtime)
        case .sealed(let path, let key): FileStore.sealed(path: path, key: key, scheduler: runtime.storeScheduler)
        case .keyring(let name, let path): FileStore.keyring(name, path: path, scheduler: runtime.storeScheduler)
        case .helper(let name, let server, let path):
            FileStore(
                path: path,
                coding: try HelperNotingCoding(helper: name, server: server, scheduler: runtime.scheduler),
                scheduler: runtime.storeScheduler)
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
