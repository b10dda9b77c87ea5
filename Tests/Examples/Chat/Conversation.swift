import Freshet

struct Message: Codable, Sendable {
    var role: String
    var content: String
}

/// What was said so far, and the API that goes on with it.
struct Conversation {
    let api: String
    let model: String
    let dialect: Dialect
    let key: String
    let client: HTTPClient
    private(set) var messages: [Message] = []

    init(api: String, model: String, dialect: Dialect, key: String, client: HTTPClient) {
        self.api = api
        self.model = model
        self.dialect = dialect
        self.key = key
        self.client = client
    }

    /// The pieces of an answer. It is asked for again only while nothing of it has come, and complete only if the API said so.
    func response(to question: String) throws -> Observable<String> {
        let dialect = dialect
        let request = try Request(
            .post, api + dialect.path, headers: dialect.headers(key: key),
            body: .json(dialect.body(model: model, messages: messages + [Message(role: "user", content: question)])))
        return EventSource(request, by: client, settings: dialect.settings).compactMap { try dialect.text(of: $0) }
    }

    /// Answers that broke off are not kept.
    mutating func keep(_ question: String, _ response: String) {
        messages += [Message(role: "user", content: question), Message(role: "assistant", content: response)]
    }
}
