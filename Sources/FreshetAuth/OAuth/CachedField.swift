import FreshetCore
import HTTPTypes

/// Caches the header field that was created last. Many requests carry the same token, and HTTPTypes checks each byte of a
/// value.
///
/// No dump shows the field.
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

    /// Returns a header with only this field, from the cache if it has the same token.
    func field(_ name: HTTPField.Name, for token: String, value: () -> String) -> HTTPFields {
        let known = last.withLockIfAvailable { $0 }
        if let made = known ?? nil, made.token == token { return made.field }
        var field = HTTPFields()
        field.append(HTTPField(name: name, value: value()))
        let made = CachedValue(field, for: token)
        // The previous value is released here, outside of the lock.
        _ = last.withLockIfAvailable { last in
            defer { last = made }
            return last
        }
        return field
    }

    var customMirror: Mirror { Mirror(self, children: []) }
}
