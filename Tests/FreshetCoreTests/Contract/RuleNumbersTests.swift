import Foundation
import XCTest

/// Tests that the rules of the contract and its tests agree.
final class RuleNumbersTests: XCTestCase {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    func testEachRuleHasATestAndEachNumberInATestNameIsARule() throws {
        let rules = try rules()
        XCTAssertGreaterThan(rules.count, 10)
        XCTAssertEqual(rules, Array(1...rules.count), "the rules are numbered one after the other")
        let tested = try tested()
        for rule in rules where tested[rule] == nil { XCTFail("no test is named testRule\(rule)…") }
        for (rule, tests) in tested where !rules.contains(rule) { XCTFail("there is no rule \(rule) for \(tests)") }
    }

    func testRuleNumbersAreParsedFromTestNames() {
        XCTAssertEqual(Self.numbers(in: "testRule3And14ASentence"), [3, 14])
        XCTAssertEqual(Self.numbers(in: "testRule7Sentence"), [7])
        XCTAssertEqual(Self.numbers(in: "testSentence"), [])
    }

    private func rules() throws -> [Int] {
        let page = root.appending(path: "Sources/Freshet/Freshet.docc/Contracts/StreamContract.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/^(\d+)\. \*\*/#).flatMap { Int($0.output.1) }
        }
    }

    /// The names of the tests of each rule.
    private func tested() throws -> [Int: [String]] {
        var tested: [Int: [String]] = [:]
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Tests/FreshetCoreTests"), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: #/\n    func (testRule\w+)\(/#) {
                let name = String(match.output.1)
                for number in Self.numbers(in: name) { tested[number, default: []].append(name) }
            }
        }
        return tested
    }

    private static func numbers(in name: String) -> [Int] {
        guard let match = name.prefixMatch(of: #/testRule(\d+(?:And\d+)*)/#) else { return [] }
        return match.output.1.split(separator: "And").compactMap { Int($0) }
    }
}
