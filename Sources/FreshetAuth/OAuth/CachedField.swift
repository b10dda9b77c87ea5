import FreshetCore
import HTTPTypes

/// The header field that was made last. One token goes with very many requests, and HTTPTypes looks at each byte of a value.
///
/// No dump shows it.
final class CachedField: Sendable, CustomReflectable {
    private final class CachedValue: Sendable {
        let token: String
        let field: HTTPFields

        init(_ field: HTTPFields, for token: String) {
            self.token = token
            self.field = field
        }
    }

    private let last = Locked<CachedValue?>(nil)

    /// The field alone.
    func field(_ name: HTTPField.Name, for token: String, value: () -> String) -> HTTPFields {
        let known = last.withLockIfAvailable { $0 }
        if let made = known ?? nil, made.token == token { return made.field }
        var field = HTTPFields()
        field.append(HTTPField(name: name, value: value()))
        let made = CachedValue(field, for: token)
        // What was there is let go of here.
        _ = last.withLockIfAvailable { last in
            defer { last = made }
            return last
        }
        return field
    }

    var customMirror: Mirror { Mirror(self, children: []) }
}
