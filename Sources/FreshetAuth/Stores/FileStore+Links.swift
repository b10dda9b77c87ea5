import Glibc

extension FileStore {
    /// Returns the path without symbolic links of the file that `path` leads to. The file may not exist yet. The call can block.
    public static func followingLinks(in path: String) -> String {
        var path = path
        // The system follows as many links.
        for _ in 0..<40 {
            if let real = real(path) { return real }
            // A link to a file that does not exist yet.
            guard let target = target(of: path) else { break }
            path = target.hasPrefix("/") ? target : directory(of: path) + "/" + target
        }
        let name = path.split(separator: "/").last ?? ""
        let directory = directory(of: path)
        return "\(real(directory) ?? directory)/\(name)"
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "" : String(path[..<slash])
    }

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func target(of path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
