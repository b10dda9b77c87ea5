import Foundation
import Freshet

/// A terminal for the tools of an MCP server, of which it knows only the address:
///
///     MCPExample https://mcp.example.com/mcp
///
/// It logs in with a browser and prints the names of the tools. Each line then calls a tool: `add {"a": 1, "b": 2}`.
@main
struct MCP {
    static func main() async throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let url = try RequestURL(CommandLine.arguments[1])
        let account = try await Account(at: url, on: runtime)
        let session = try await Session(at: url, by: account?.client ?? runtime.client)
        show(try await session.toolNames().joined(separator: "\n") + "\n")
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard let tool = words.first else { continue }
            do {
                for try await text in try session.call(tool, words.count > 1 ? words[1] : "{}").values {
                    show(text + "\n")
                }
            } catch {
                show("\(tool) failed: \(error)\n")
            }
        }
    }

    private static func show(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
