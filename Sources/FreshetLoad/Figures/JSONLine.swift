import Foundation

/// A JSON object in one line, with its members in the order in which they were added.
struct JSONLine {
    private var members: [String] = []

    var text: String { "{\(members.joined(separator: ","))}" }

    mutating func add(_ name: String, _ text: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let encoded = (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) }
        add(name, json: encoded ?? "null")
    }

    mutating func add(_ name: String, _ count: Int) {
        add(name, json: String(count))
    }

    /// Adds `null` for a number that is missing or not finite.
    mutating func add(_ name: String, _ number: Double?, decimals: Int) {
        let text = number.flatMap { $0.isFinite ? String(format: "%.\(decimals)f", $0) : nil }
        add(name, json: text ?? "null")
    }

    private mutating func add(_ name: String, json: String) {
        members.append("\"\(name)\":\(json)")
    }
}
