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

    /// The fields as a JSON object, with names in lower case and in the order of their first appearance.
    private static func encoded(_ fields: HTTPFields) -> [UInt8] {
        var members: [(name: String, values: [String])] = []
        var places: [String: Int] = [:]
        for field in fields {
            let name = field.name.canonicalName
            if let place = places[name] {
                members[place].values.append(field.value)
            } else {
                places[name] = members.count
                members.append((name, [field.value]))
            }
        }
        var writer = JSONWriter(reserving: 256)
        writer.object { object in
            for (name, values) in members {
                object.member(name) { value in
                    if name == "set-cookie" {
                        value.array { list in values.forEach { list.string($0) } }
                    } else {
                        value.string(values.joined(separator: ", "))
                    }
                }
            }
        }
        return writer.bytes
    }
}
