/// The name of a temporary file.
enum TemporaryName {
    /// In bytes, on the usual file systems.
    private static let longest = 255

    /// Returns the path of a file beside that at `path`. It is random, because a number of the process would be the same in each
    /// container, whose parts can share a folder. A long name is shortened, but not one that is too long for a file itself.
    static func beside(_ path: String) -> String {
        let suffix = ".\(String(UInt32.random(in: 0 ... .max), radix: 36)).part"
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        guard name.utf8.count <= longest else { return path + suffix }
        while name.utf8.count + suffix.utf8.count > longest { name.removeLast() }
        return path[..<start] + name + suffix
    }
}
