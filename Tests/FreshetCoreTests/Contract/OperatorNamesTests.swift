import Foundation
import XCTest

/// Tests that the table of shapes contains every operator.
final class OperatorNamesTests: XCTestCase {
    func testEveryOperatorHasAShape() throws {
        let declared = try Self.declared()
        XCTAssertGreaterThan(declared.count, 100)
        let shapes = Dictionary(grouping: Shape.all, by: \.name).mapValues(\.count)
        for (name, places) in declared where shapes[name, default: 0] < places.count {
            XCTFail(
                """
                \(name) of \(places.joined(separator: " and ")) is declared \(places.count) times and has \
                \(shapes[name, default: 0]) shapes; give it one in Tests/FreshetCoreTests/Contract/Shapes
                """)
        }
        for name in shapes.keys where declared[name] == nil && !["refCount()", "connect()"].contains(name) {
            XCTFail("\(name) has a shape, and no operator is called so")
        }
    }

    func testOperatorNamesAreParsedFromEveryKindOfDeclaration() {
        let names = Self.names(
            in: """
                extension ObservableType where Element: Equatable {
                    @inlinable
                    public func plain() -> Int { 0 }
                    public static func `catch`<A: B<C>>(_ a: @escaping (A, C) -> D<E, F>, with b: [G: H] = [:]) {}
                    public func long(
                        first: Int,
                        _ second: (Int) throws -> Void
                    ) {}
                    func hidden() {}

                    @available(*, deprecated, renamed: "plain()")
                    public func former() -> Int { 0 }

                    public var values: Int { 0 }
                }

                public struct Other {
                    public func method() {}
                }
                """)
        XCTAssertEqual(names, ["plain()", "catch(_:with:)", "long(first:_:)", "values"])
    }

    /// The places where each operator is declared.
    private static func declared() throws -> [String: [String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/FreshetCore/Operators"
        ).standardized
        var declared: [String: [String]] = [:]
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for name in names(in: try String(contentsOf: file, encoding: .utf8)) {
                declared[name, default: []].append(file.lastPathComponent)
            }
        }
        // The operator prints each of its events, which would be a few thousand lines.
        declared["debug(_:trimOutput:file:line:function:)"] = nil
        return declared
    }

    private static func names(in source: String) -> [String] {
        var isExtension = false
        // A deprecated name belongs to the same operator.
        var isFormer = false
        var names: [String] = []
        let declaration = #/^ {4}public (?:static )?(?:func `?(?<function>\w+)`?|var (?<property>\w+))/#
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if let first = line.first, first.isLowercase || first == "@" {
                isExtension = line.hasPrefix("extension ") || line.hasPrefix("public extension ")
            }
            if line.isEmpty { isFormer = false }
            if line.contains("@available(*, deprecated") { isFormer = true }
            guard isExtension, !isFormer, let match = line.firstMatch(of: declaration) else { continue }
            if let property = match.output.property {
                names.append(String(property))
            } else if let function = match.output.function {
                names.append("\(function)(\(labels(in: source[match.range.upperBound...])))")
            }
        }
        return names
    }

    /// The labels of the first parameter list in `text`, each with its colon.
    private static func labels(in text: Substring) -> String {
        var labels = ""
        var depth = 0
        var isInParameters = false
        var parameter = ""
        var previous: Character = " "
        for character in text {
            defer { previous = character }
            switch character {
            case "(" where depth == 0 && !isInParameters: isInParameters = true
            case ")" where depth == 0, "," where depth == 0 && isInParameters:
                if let label = parameter.split(separator: ":").first?.split(whereSeparator: \.isWhitespace).first {
                    labels += "\(label):"
                }
                if character == ")" { return labels }
                parameter = ""
            default:
                if "([{<".contains(character) { depth += 1 }
                if ")]}".contains(character) || character == ">" && previous != "-" { depth -= 1 }
                if isInParameters { parameter.append(character) }
            }
        }
        return labels
    }
}
