import FreshetCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the folder of a cache from any other, in which a cache would overwrite and remove files of the user.
enum CacheFolderMarks {
    /// In bytes.
    static let keyLength = 32
    /// The length of a hash in a name.
    static let codeLength = 40
    private static let sizeLength = 20
    /// In random bytes, of which 3 make 4 characters.
    private static let newNameLength = 12

    /// Refuses a folder that is neither missing, nor empty, nor one of a cache.
    ///
    /// A cache has a key and the folder for new files. If it lacks one of them, because a process was killed or something has
    /// removed it, each name in it has to be one that a cache gives.
    static func check(_ path: String) throws(FileFailure) {
        let names = File.names(in: path)
        if names.contains("key"), names.contains("new"), isFile("\(path)/key", of: [keyLength]), isFolder("\(path)/new")
        {
            return
        }
        // A key alone is not enough, because programs have others of this length.
        guard names != ["key"], names.allSatisfy({ isOwn($0, in: path) }) else {
            throw FileFailure(path, code: nil, mismatch: "the folder has other files than those of a cache")
        }
    }

    private static func isOwn(_ name: String, in path: String) -> Bool {
        switch name {
        case "key": isFile("\(path)/key", of: [0, keyLength])
        case "size": isFile("\(path)/size", of: [0, sizeLength])
        case "new": isFolder("\(path)/new") && File.names(in: "\(path)/new").allSatisfy(isNewFile)
        default:
            name.utf8.count == codeLength && name.allSatisfy { $0.isHexDigit && !$0.isUppercase }
                && isFolder("\(path)/\(name)")
        }
    }

    /// A name for a file that is being written.
    static func newName() -> String { SecureRandom.text(newNameLength) }

    /// Whether `name` can be a result of ``newName()``.
    static func isNewFile(_ name: String) -> Bool {
        name.utf8.count == newNameLength / 3 * 4
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }

    private static func isFile(_ path: String, of sizes: [Int]) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && sizes.contains(Int(status.st_size))
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
