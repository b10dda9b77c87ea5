import FreshetHTTP

/// The fields of an `application/x-www-form-urlencoded` body, without those that are not encoded as such.
struct FormFields {
    private var fields: [String: String] = [:]

    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = RequestBody.formDecoded(parts[0]) else { continue }
            fields[name] = RequestBody.formDecoded(parts.count > 1 ? parts[1] : "")
        }
    }

    subscript(name: String) -> String? { fields[name] }
}

extension String {
    /// The text as it is written between the quotation marks of a JSON string.
    var jsonEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
