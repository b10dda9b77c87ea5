import FreshetCore
import HTTPTypes

/// The header field that was made last. One token goes with very many requests, and HTTPTypes looks at each byte of a value.
///
/// It is nothing that two placements could differ in, and no dump shows it.
final class MadeField: Sendable, Hashable, CustomReflectable {
    private final class Made: Sendable {
        let token: String
        let field: HTTPFields

        init(_ field: HTTPFields, for token: String) {
            self.token = token
            self.field = field
        }
    }

    private let last = Locked<Made?>(nil)

    /// The field alone.
    func field(_ name: HTTPField.Name, for token: String, value: () -> String) -> HTTPFields {
        if let last = last.withLock({ $0 }), last.token == token { return last.field }
        var field = HTTPFields()
        field.append(HTTPField(name: name, value: value()))
        last.withLock { $0 = Made(field, for: token) }
        return field
    }

    static func == (left: MadeField, right: MadeField) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var customMirror: Mirror { Mirror(self, children: []) }
}
