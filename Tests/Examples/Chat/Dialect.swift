import Freshet

/// The two common shapes of chat APIs.
enum Dialect: String, Sendable {
    /// Each event is JSON with a piece in `choices`, and the last one says `[DONE]`.
    case completions
    /// Events have types: pieces come in those of `content_block_delta`, and `message_stop` is the last.
    case messages

    struct Body: Encodable {
        var model: String
        var messages: [Message]
        var stream = true
        var maximum = 1024

        private enum CodingKeys: String, CodingKey {
            case model, messages, stream
            case maximum = "max_tokens"
        }
    }

    private struct Completion: Decodable {
        struct Choice: Decodable {
            struct Delta: Decodable {
                var content: String?
            }
            var delta: Delta
        }
        var choices: [Choice]
    }

    private struct Block: Decodable {
        struct Delta: Decodable {
            var text: String?
        }
        var delta: Delta
    }

    var path: String { self == .completions ? "/chat/completions" : "/messages" }

    /// Marks a complete response, and sends the request only once.
    var settings: EventSource.Settings {
        switch self {
        case .completions: .response(terminator: "[DONE]")
        case .messages: .response(lastTypes: ["message_stop"])
        }
    }

    func headers(key: String) -> HTTPFields {
        switch self {
        case .completions: [.authorization: "Bearer \(key)"]
        case .messages: [HTTPField.Name("X-Api-Key")!: key]
        }
    }

    func body(model: String, messages: [Message]) -> Body { Body(model: model, messages: messages) }

    func text(of event: ServerSentEvent) throws -> String? {
        switch self {
        case .completions: try event.decoded(Completion.self).choices.first?.delta.content
        case .messages where event.type == "content_block_delta": try event.decoded(Block.self).delta.text
        case .messages: nil
        }
    }
}
