import Foundation

/// A credential helper of Docker as a shell script, which keeps one secret in a file.
public struct TestHelper: Sendable {
    /// The part of its name after `docker-credential-`.
    public let name = "test-\(UUID())"
    /// The folder that the search path of a program with this helper must contain.
    public let folder: String

    private var path: String { "\(folder)/docker-credential-\(name)" }

    /// The path of the file with the secret.
    public var secret: String { "\(path).secret" }

    /// - Parameter script: the script; by default one that keeps the secret as a whole or not at all.
    public init(_ script: String? = nil) throws {
        var template = Array("/tmp/freshet-helper-XXXXXX".utf8CString)
        folder = String(cString: mkdtemp(&template))
        try "#!/bin/sh\n\(script ?? Self.keeping)\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
    }

    /// `KILL_IN_HELPER` names the step at which the helper kills the program that runs it.
    private static let keeping = """
        reach() { test "$KILL_IN_HELPER" != "$1" || { kill -9 $PPID; exit 1; }; }
        reach "before $1"
        case $1 in
        store) cat > "$0.new" && mv "$0.new" "$0.secret"; reach "after store" ;;
        get) cat > /dev/null; test -f "$0.secret" && exec cat "$0.secret"
             echo "credentials not found in native keychain"; exit 1 ;;
        esac
        """

    /// Adds the helper to this program's own search path.
    public func install() { setenv("PATH", "\(folder):\(Self.searchPath)", 1) }

    public func remove() {
        let entries = Self.searchPath.split(separator: ":").filter { $0 != folder }
        setenv("PATH", entries.joined(separator: ":"), 1)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "" }
}
