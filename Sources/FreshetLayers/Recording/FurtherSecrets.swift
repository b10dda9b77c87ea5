import FreshetHTTP

/// Secrets that a recording does not know by itself.
struct FurtherSecrets: Sendable {
    /// The names of header fields and of members, whose values are secret.
    var names: Set<String> = []
    /// Secret texts, in each way in which they can be written.
    private(set) var texts: Set<String> = []

    init(names: Set<String> = [], texts: Set<String> = []) {
        self.names = names
        // A number can be one of JSON, which a mask would make invalid.
        self.texts = Set(texts.filter { Double($0) == nil }.flatMap(Self.writings))
    }

    /// As it is, in a form, in a query, and in JSON.
    private static func writings(of text: String) -> [String] {
        let form = RequestBody.formEncoded(text)
        let json = (try? JSONValue.string(text).encoded()).map {
            String(decoding: $0.dropFirst().dropLast(), as: UTF8.self)
        }
        return [text, form, form.replacing("+", with: "%20")] + (json.map { [$0] } ?? [])
    }

    func adding(names more: Set<String>) -> Self {
        var secrets = self
        secrets.names.formUnion(more)
        return secrets
    }
}
