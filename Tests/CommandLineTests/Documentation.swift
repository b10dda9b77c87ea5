import Foundation

/// The pages of the documentation.
enum Documentation {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of all pages.
    static func pages() throws -> [String] {
        let folders = ["Sources", "Benchmarks", ".github"]
        return try ["README.md"]
            + folders.flatMap { folder in
                try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
                    .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
            }
    }

    static func text(of page: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    }
}
