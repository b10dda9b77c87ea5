public import FreshetAuth
public import FreshetCore

extension FileStore {
    /// A store whose file is encrypted with a key that is kept elsewhere.
    ///
    /// A key that is gone, or another one, is a `StoreError`: no new key is made.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - key: where the key comes from.
    ///   - scheduler: where the blocking calls run. Not a loop.
    public static func sealed(path: String, key: any SealingKey, scheduler: any SchedulerType) -> FileStore {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return FileStore(path: path, coding: SealedCoding(key: key, storeName: name), scheduler: scheduler)
    }

    /// A store in the kernel's keyring: a random key is there, and the record sealed with it in a file.
    ///
    /// The keyring has room for few bytes, and no lock. When the key is gone, as after a reboot, the store is empty.
    ///
    /// - Parameters:
    ///   - name: names the key; its description is `freshet:NAME`.
    ///   - path: the path of the sealed file.
    ///   - scheduler: where the blocking calls run. Not a loop.
    public static func keyring(_ name: String, path: String, scheduler: any SchedulerType) -> FileStore {
        let coding = SealedCoding(
            key: KeyringSealingKey(name: "freshet:\(name)"), storeName: name, isEmptyWithoutKey: true)
        return FileStore(path: path, coding: coding, scheduler: scheduler)
    }

    /// A store in a credential helper of Docker.
    ///
    /// - Parameters:
    ///   - helper: the name behind `docker-credential-`.
    ///   - server: under which the helper keeps the record, as a URL.
    ///   - path: the path of the file that has the store's lock.
    ///   - scheduler: where the blocking calls run. Not a loop.
    /// - Throws: `StoreError` if `helper` is no name.
    public static func helper(
        _ helper: String, server: String, path: String, scheduler: any SchedulerType
    ) throws -> FileStore {
        FileStore(path: path, coding: try HelperCoding(helper: helper, server: server), scheduler: scheduler)
    }
}
