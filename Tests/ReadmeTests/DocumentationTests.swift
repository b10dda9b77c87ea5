import Foundation
import Freshet
import XCTest

/// Every Swift example in the README and the documentation stands, line by line, in a file under `Examples`, or in one of
/// the programs of `Tests/Examples`, where it compiles and runs.
final class DocumentationTests: XCTestCase {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    func testEveryExampleIsContainedInAFileThatCompiles() throws {
        let examples = try ["Tests/ReadmeTests/Examples", "Tests/Examples"]
            .flatMap { try Self.files(below: $0, ending: ".swift") }.map { try Self.lines($0) }
        var blocks = 0
        for page in try Self.files(below: "Sources/Freshet/Freshet.docc", ending: ".md") + ["README.md"] {
            for block in Self.swiftBlocks(try Self.lines(page)) {
                blocks += 1
                XCTAssertTrue(
                    examples.contains { Self.contains($0, block) },
                    "\(page): no file under Tests/ReadmeTests/Examples or Tests/Examples holds this example:\n\(block.joined(separator: "\n"))"
                )
            }
        }
        XCTAssertGreaterThan(blocks, 0)
    }

    func testEveryLinkLeadsToAPage() throws {
        let pages = try Self.files(below: "Sources/Freshet/Freshet.docc", ending: ".md")
        let names = Set(pages.map { ($0 as NSString).lastPathComponent.dropLast(3) })
        for page in pages {
            for line in try Self.lines(page) {
                for link in line.components(separatedBy: "<doc:").dropFirst() {
                    let name = link.prefix { $0 != ">" && $0 != "#" }
                    XCTAssertTrue(names.contains(name), "\(page): there is no page \(name)")
                }
            }
        }
    }

    func testEveryPageIsListed() throws {
        let catalogue = "Sources/Freshet/Freshet.docc"
        let listed = try Self.lines("\(catalogue)/Freshet.md")
        for folder in ["Articles", "Changes", "Contracts", "Decisions"] {
            for page in try Self.files(below: "\(catalogue)/\(folder)", ending: ".md") {
                let name = (page as NSString).lastPathComponent.dropLast(3)
                XCTAssertEqual(listed.count { $0 == "- <doc:\(name)>" }, 1, "Freshet.md does not list \(page) once")
            }
        }
    }

    /// Tables do not count: they are for looking up.
    func testAnArticleHasAtMost900Words() throws {
        // Lists for looking up.
        let lists = ["DifferencesFromCurl", "Operators"]
        for page in try Self.files(below: "Sources/Freshet/Freshet.docc/Articles", ending: ".md")
        where !lists.contains(where: page.contains) {
            let words = try Self.lines(page).filter { !$0.hasPrefix("|") }.joined(separator: " ").split(separator: " ")
            XCTAssertLessThanOrEqual(words.count, 900, page)
        }
    }

    func testEveryFileThatTheReadmeLinksExists() throws {
        let readme = try Self.lines("README.md").joined(separator: "\n")
        let links = readme.components(separatedBy: "](").dropFirst().map { $0.prefix { $0 != ")" && $0 != "#" } }
        XCTAssertGreaterThan(links.count, 0)
        for link in links {
            let path = Self.root.appendingPathComponent(String(link)).path
            XCTAssertTrue(FileManager.default.fileExists(atPath: path), "README.md: there is no \(link)")
        }
    }

    func testTheReadmeNamesTheVersion() throws {
        let readme = try Self.lines("README.md").joined(separator: "\n")
        XCTAssertTrue(readme.contains("from: \"\(HTTPClient.version)\""), HTTPClient.version)
    }

    /// A name that was changed in the code stays in sentences.
    func testTheArticlesNameExistingTypes() throws {
        let folders = ["Sources", "Benchmarks/Sources", "Tests/Examples", "Tests/ReadmeTests/Examples"]
        let files = try folders.flatMap { try Self.files(below: $0, ending: ".swift") }
        let words = try (files + ["Package.swift", "Benchmarks/Package.swift"])
            .reduce(into: Set<Substring>()) { words, path in
                words.formUnion(
                    Self.words(in: try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)))
            }
        // Pages that name types of other libraries, and former ones.
        let others = ["AlamofireNames", "ComingFrom", "From01To02", "NamesBesideOtherLibraries", "NotInFreshet"]
        for page in try Self.files(below: "Sources/Freshet/Freshet.docc/Articles", ending: ".md")
        where !others.contains(where: page.contains) {
            for line in try Self.lines(page) {
                for name in line.matches(of: #/`(?<type>[A-Z][a-z]\w+)(?:\.\w+)?`/#).map(\.type) {
                    XCTAssertTrue(words.contains(name), "\(page): there is no \(name)")
                }
            }
        }
    }

    func testAWalkThroughTheCodeNamesExistingFilesOnce() throws {
        let limits = ["ARequest": 15, "ARefreshedToken": 15, "HowAnElementTravels": 10]
        for (page, limit) in limits {
            let lines = try Self.lines("Sources/Freshet/Freshet.docc/Articles/\(page).md")
            let steps = lines.compactMap { line in
                line.prefixMatch(of: #/[0-9]+\. `(?<file>[^`]+\.swift)`/#).map { String($0.file) }
            }
            XCTAssertFalse(steps.isEmpty, page)
            XCTAssertLessThanOrEqual(steps.count, limit, page)
            XCTAssertEqual(Set(steps).count, steps.count, "\(page) names a file twice")
            for file in steps {
                let path = Self.root.appendingPathComponent("Sources/\(file)").path
                XCTAssertTrue(FileManager.default.fileExists(atPath: path), "\(page): there is no \(file)")
            }
        }
    }

    /// A regular expression would take half a minute for all sources.
    private static func words(in text: String) -> [Substring] {
        text.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                false
            default: true
            }
        }.map(Substring.init)
    }

    private static func files(below folder: String, ending: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return paths.filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
    }

    /// The lines that say something, without their indentation.
    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func swiftBlocks(_ lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```" {
                if let block { blocks.append(block) }
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func contains(_ lines: [String], _ block: [String]) -> Bool {
        // Imports stand at the top of an example's file.
        let code = block.filter { !$0.hasPrefix("import ") }
        guard code.count <= lines.count else { return false }
        return (0...(lines.count - code.count)).contains { Array(lines[$0..<($0 + code.count)]) == code }
    }
}
