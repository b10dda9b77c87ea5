import Foundation
import Freshet

/// A chat with a language model in the terminal, whose answers are printed as they come:
///
///     CHAT_KEY=… ChatExample https://api.example.com/v1 some-model completions
@main
struct Chat {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        var conversation = Conversation(
            api: arguments[1], model: arguments[2], dialect: Dialect(rawValue: arguments[3]) ?? .completions,
            key: ProcessInfo.processInfo.environment["CHAT_KEY"] ?? "", client: runtime.client)
        while let question = ask() {
            var response = ""
            do {
                for try await piece in try conversation.response(to: question).values {
                    show(piece)
                    response += piece
                }
                conversation.keep(question, response)
                show("\n")
            } catch {
                show("\nNo more of this response: \(error)\n")
            }
        }
    }

    private static func ask() -> String? {
        show("> ")
        return readLine()
    }

    private static func show(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
