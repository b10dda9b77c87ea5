import Foundation

/// What is made for a run, and goes with it.
public final class Directory: Sendable {
    public static let shared = Directory()

    private let root: String

    private init() {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    public func path(_ name: String) -> String { "\(root)/\(name)" }

    public func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
