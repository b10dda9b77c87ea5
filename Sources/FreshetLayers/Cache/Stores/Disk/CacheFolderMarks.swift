import FreshetCrypto
import Glibc

/// Tells the folder of a cache from any other, in which a cache would overwrite and remove files of the user.
enum CacheFolderMarks {
    /// In bytes.
    static let keyLength = 32
    /// The length of a hash in a name.
    static let codeLength = 40
    /// The number of digits of the size.
    static let sizeLength = 20
    /// In random bytes, of which 3 make 4 characters.
    private static let newNameLength = 12

    /// Refuses a folder in which something else has one of the names that a cache uses. Other names do not matter.
    ///
    /// A folder with a key and the folder for new files is one of a cache, also if it is damaged. A key alone is not enough,
    /// because programs have others of this length.
    static func check(_ path: String) throws(FileFailure) {
        let names = try File.existingNames(in: path)
        if isFile("\(path)/key", of: [keyLength]), isFolder("\(path)/new") { return }
        let foreign = names.first { !isFree($0) && !isOwn($0, in: path) }
        guard let foreign = foreign ?? (hasLoneKey(names) ? "key" : nil) else { return }
        throw FileFailure(path, code: nil, mismatch: "the folder is no cache: its \(foreign) is something else")
    }

    private static func hasLoneKey(_ names: [String]) -> Bool {
        names.contains("key") && !names.contains { $0 == "new" || $0 == "size" || isCode($0) }
    }

    /// Whether a cache never uses the name.
    private static func isFree(_ name: String) -> Bool { !["key", "size", "new"].contains(name) && !isCode(name) }

    private static func isOwn(_ name: String, in path: String) -> Bool {
        switch name {
        case "key": isFile("\(path)/key", of: [0, keyLength])
        case "size": isFile("\(path)/size", of: [0, sizeLength])
        case "new": isFolder("\(path)/new") && File.names(in: "\(path)/new").allSatisfy(isNewFile)
        default: isFolder("\(path)/\(name)")
        }
    }

    /// Whether `name` can be that of the folder of a URL.
    static func isCode(_ name: String) -> Bool {
        name.utf8.count == codeLength && name.allSatisfy { $0.isHexDigit && !$0.isUppercase }
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
