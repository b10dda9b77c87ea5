import Freshet

/// Keeps the JSON text of the latest header fields for the next response, because most responses within a second have the same
/// fields.
struct LatestFields {
    static let none = Array("{}".utf8)

    private var fields: [HTTPField] = []
    private var text = none

    mutating func text(of fields: HTTPFields) -> [UInt8] {
        if !isLatest(fields) {
            self.fields = Array(fields)
            text = Self.encoded(fields)
        }
        return text
    }

    /// Compares what is written: names in lower case and values, in this order.
    private func isLatest(_ other: HTTPFields) -> Bool {
        guard fields.count == other.count else { return false }
        for index in fields.indices {
            let field = other[index]
            guard fields[index].value == field.value, fields[index].name == field.name else { return false }
        }
        return true
    }

    /// The fields as a JSON object, with names in lower case and in the order of their first appearance. A search in the few
    /// names is cheaper than a set.
    private static func encoded(_ fields: HTTPFields) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { object in
            let names = fields.map(\.name.canonicalName)
            for (index, field) in fields.enumerated() {
                let name = names[index]
                if names[..<index].contains(name) { continue }
                let isRepeated = names[(index + 1)...].contains(name)
                object.member(name) { value in
                    if name == "set-cookie" {
                        value.array { list in fields[values: field.name].forEach { list.string($0) } }
                    } else {
                        value.string(isRepeated ? fields[values: field.name].joined(separator: ", ") : field.value)
                    }
                }
            }
        }
        return writer.bytes
    }
}
