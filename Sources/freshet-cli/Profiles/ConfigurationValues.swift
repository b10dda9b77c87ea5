import Freshet

/// Reads values of the configuration file as types of HTTP.
extension ConfigurationSection {
    /// Returns the value of `make`. An error of `make` gets the name of the key.
    func checked<Value>(_ name: String, _ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as HTTPClientError {
            throw configurationError("\(key(name)): \(error.message)", error.recoverySuggestion)
        }
    }

    func pointer(_ name: String) throws -> JSONPointer? {
        guard let text = try string(name) else { return nil }
        return try checked(name) { try JSONPointer(text) }
    }

    func fields(_ name: String) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        guard let section = try section(name) else { return fields }
        for name in section.names {
            let value = try section.required(name)
            try section.checked(name) { try fields.append(name, value) }
        }
        return fields
    }

    /// A string, a number or a truth value as text, or a list of them.
    func texts(_ name: String) throws -> [String] {
        let values =
            switch value(name) {
            case .array(let values)?: values
            case let value?: [value]
            case nil: throw configurationError("\(key(name)) is missing", "list the values that mean expired")
            }
        return try values.map {
            if case .string = $0 { return try string($0, at: name) }
            guard let text = $0.text else { throw configurationError("\(key(name)) is neither text nor a number") }
            return text
        }
    }

    /// `value`, with the variables in all its strings replaced from the environment.
    func expanded(_ value: JSONValue, at name: String) throws -> JSONValue {
        switch value {
        case .string:
            return .string(try string(value, at: name))
        case .array(let elements):
            return .array(try elements.enumerated().map { try expanded($0.element, at: "\(name)[\($0.offset)]") })
        case .object(let members):
            let pairs = try members.map { ($0.key, try expanded($0.value, at: "\(name).\($0.key)")) }
            return .object(Dictionary(uniqueKeysWithValues: pairs))
        case .null, .bool, .number:
            return value
        }
    }
}
