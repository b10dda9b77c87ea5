#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The name of a store, which the encrypted file authenticates.
enum SealedName: Sendable {
    /// A name that the caller gives.
    case given(String)
    /// The path of the store's file. The name is the path without symbolic links, because all links to a file share its record.
    case path(String)

    /// The name as text. The calls can block.
    var text: String {
        switch self {
        case .given(let name): name
        case .path(let path): Self.resolved(path)
        }
    }

    private static func resolved(_ path: String) -> String {
        var path = path
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
