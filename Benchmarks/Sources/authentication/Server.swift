import Foundation
import Freshet
import FreshetHTTPTesting

/// A server of tokens that rotate and end at a word.
protocol Authority {
    var url: String { get }
    /// Answers all alike, with a token and without.
    var openURL: String { get }
    func signIn() throws -> Credential
    /// Ends all access tokens that are out.
    func expire() throws
    /// How many refreshes were granted, and how many refused.
    func refreshes() throws -> (granted: Int, refused: Int)
    func end()
}

/// In this process, on a loop of its own.
struct ServerHere: Authority {
    private let loop: Loop
    private let server: TokenServer
    private let open: ScriptedServer

    init() throws {
        loop = try Loop(name: "server")
        server = try TokenServer(on: loop)
        open = try ScriptedServer(on: loop)
        open.route { _ in .json("{\"path\":\"/open\"}") }
    }

    var url: String { server.url }
    var openURL: String { open.url }

    func signIn() -> Credential {
        let tokens = server.signIn()
        return Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
    }

    func expire() { server.expireTokens() }

    func refreshes() -> (granted: Int, refused: Int) { (server.counts.refreshes, server.counts.refusals) }

    func end() {
        server.close()
        open.close()
        loop.shutdown()
    }
}

/// In a process of its own, so that what it takes of the processor is not the client's.
final class ServerApart: Authority {
    let url: String
    let openURL: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        url = Self.line(from: output)
        openURL = Self.line(from: output)
    }

    func signIn() throws -> Credential {
        let words = try ask("login")
        return Credential(accessToken: words[0], refreshToken: words[1])
    }

    func expire() throws { _ = try ask("expire") }

    func refreshes() throws -> (granted: Int, refused: Int) {
        let words = try ask("counts")
        return (Int(words[0]) ?? -1, Int(words[1]) ?? -1)
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func ask(_ word: String) throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
        return Self.line(from: output).split(separator: " ").map(String.init)
    }

    private static func line(from pipe: Pipe) -> String {
        var line: [UInt8] = []
        while let byte = pipe.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The other side of ``ServerApart``: does what the lines of standard input say, until their end.
func serve() throws {
    let server = try ServerHere()
    // `print` would keep it all until the end.
    func say(_ words: String...) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(words.joined(separator: " "))\n".utf8))
    }
    say(server.url)
    say(server.openURL)
    while let word = readLine() {
        switch word {
        case "login":
            let credential = server.signIn()
            say(credential.accessToken, credential.refreshToken ?? "")
        case "expire":
            server.expire()
            say("expired")
        default:
            let counts = server.refreshes()
            say("\(counts.granted)", "\(counts.refused)")
        }
    }
    server.end()
}
