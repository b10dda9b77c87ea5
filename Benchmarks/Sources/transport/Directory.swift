import Foundation

/// What is made for a run, and goes with it.
final class Directory: Sendable {
    static let shared = Directory()

    private let root: String

    private init() {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
