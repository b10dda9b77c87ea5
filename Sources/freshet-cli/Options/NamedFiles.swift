import ArgumentParser
import Foundation

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
        for other in others where other.path.map(location) == location(of: path) {
            throw ValidationError("\(first.option) and \(other.option) both name the file \(path)")
        }
    }

    /// The path without links, also for a file that is not there yet.
    private static func location(of path: String) -> String {
        let path = OutputFile.target(of: path)
        let url = URL(fileURLWithPath: path)
        if FileManager.default.fileExists(atPath: path) { return url.resolvingSymlinksInPath().path }
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .path
    }
}
