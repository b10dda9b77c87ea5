/// A line of JSON with numbers, put together member by member.
public struct JSONLine {
    private var members: String

    public init(_ name: String) {
        members = "\"name\": \"\(name)\""
    }

    public func with(_ name: String, _ value: some Numeric) -> JSONLine {
        var line = self
        line.members += ", \"\(name)\": \(value)"
        return line
    }

    public func with(_ name: String, _ values: [Int]) -> JSONLine {
        var line = self
        line.members += ", \"\(name)\": \(values)"
        return line
    }

    public var text: String { "{\(members)}" }
}
