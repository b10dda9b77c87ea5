import Glibc

extension FileStore {
    /// Returns `path` with the directory of the user, from `HOME`, in place of a `~` before the first slash.
    ///
    /// - Throws: ``StoreError`` for the directory of another user, such as `~ada/token`, if `HOME` is not an absolute path, and if
    ///   `path` is empty or ends with a slash.
    public static func expandingHome(in path: String) throws -> String {
        try expandingHome(in: path, home: getenv("HOME").map { String(cString: $0) })
    }

    static func expandingHome(in path: String, home: String?) throws -> String {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw StoreError("the path \(path) of the credential store names no file; write the path of a file")
        }
        guard path.hasPrefix("~") else { return path }
        guard path.hasPrefix("~/") else {
            throw StoreError(
                "the path \(path) of the credential store begins with ~ and no slash; write the whole path, or ./\(path)"
            )
        }
        guard let home, home.hasPrefix("/") else {
            throw StoreError(
                "the path \(path) of the credential store needs HOME, which is not set; set it, or write the whole path"
            )
        }
        return home + path.dropFirst()
    }
}
