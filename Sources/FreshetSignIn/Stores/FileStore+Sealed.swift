public import FreshetAuth
public import FreshetCore

extension FileStore {
    /// Returns a store whose file is encrypted with a key that is kept elsewhere.
    ///
    /// A missing or different key causes a `StoreError`. The store never creates a new key. The record is bound to the path
    /// of its file without symbolic links, so a file that was moved or swapped with another one causes a `StoreError`, too.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - key: the source of the key.
    ///   - scheduler: runs the blocking calls. It must not be a loop.
    public static func sealed(path: String, key: any SealingKey, scheduler: any SchedulerType) -> FileStore {
        FileStore(path: path, coding: SealedCoding(key: key, name: .file(path)), scheduler: scheduler)
    }

    /// Returns a store whose key is in the kernel's keyring. The key is random, and the record is sealed with it in a file.
    ///
    /// The record itself is not in the keyring, because a keyring holds few bytes and has no lock. If the key is missing, as
    /// after a reboot, the store is empty.
    ///
    /// - Parameters:
    ///   - name: the name of the key; its description is `freshet:NAME`.
    ///   - path: the path of the sealed file.
    ///   - scheduler: runs the blocking calls. It must not be a loop.
    public static func keyring(_ name: String, path: String, scheduler: any SchedulerType) -> FileStore {
        let coding = SealedCoding(
            key: KeyringSealingKey(name: "freshet:\(name)"), name: .file(path), isEmptyWithoutKey: true)
        return FileStore(path: path, coding: coding, scheduler: scheduler)
    }

    /// Returns a store in a credential helper of Docker.
    ///
    /// - Parameters:
    ///   - helper: the helper's name after `docker-credential-`.
    ///   - server: the URL under which the helper keeps the record.
    ///   - path: the path of the file with the store's lock.
    ///   - scheduler: runs the blocking calls. It must not be a loop.
    /// - Throws: `StoreError` if `helper` is not the name of a helper.
    public static func helper(
        _ helper: String, server: String, path: String, scheduler: any SchedulerType
    ) throws -> FileStore {
        FileStore(path: path, coding: try HelperCoding(helper: helper, server: server), scheduler: scheduler)
    }
}
