import ArgumentParser
import Freshet

/// The files that the options of a command name.
enum NamedFiles {
    /// Refuses an empty path, such as that of an unset shell variable.
    static func check(_ paths: [(option: String, path: String?)]) throws {
        for (option, path) in paths where path?.isEmpty == true { throw ValidationError("\(option) names no file") }
    }

    /// Refuses two options that name one file, of which at least one would be lost.
    static func checkDiffer(_ first: (option: String, path: String?), _ others: [(option: String, path: String?)])
        throws
    {
        guard let path = first.path, !OutputFile.isSpecial(path) else { return }
        let place = FileStore.followingLinks(in: path)
        for other in others where other.path.map(FileStore.followingLinks) == place {
            throw ValidationError("\(first.option) and \(other.option) both name the file \(path)")
        }
    }
}
