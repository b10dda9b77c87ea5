import ArgumentParser
import Foundation
import Freshet

/// `freshet login`: puts a credential into a profile's store.
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a credential into a profile's store.",
        discussion: """
            `freshet login --profile NAME --access-token - --refresh-token -` reads the two from standard input, a line \
            each, so that they stand in no list of processes and in no history.
            """)

    @OptionGroup var options: ProfileOptions

    @Option(help: ArgumentHelp("Read from standard input; the first line.", valueName: "-"))
    var accessToken: String

    @Option(help: ArgumentHelp("Read from standard input; the next line.", valueName: "-"))
    var refreshToken: String?

    func validate() throws {
        if options.name == nil { throw ValidationError("--profile is missing; name the profile to log in to") }
        guard [accessToken, refreshToken ?? "-"] == ["-", "-"] else {
            throw ValidationError("a token in an argument can be read by others; write - and give it on standard input")
        }
    }

    func run() throws {
        guard let profile = try options.profile() else { return }
        let runtime = try Runtime()
        defer { runtime.shutdown() }
        let store = try profile.store.openedForLogin(on: runtime)
        let gate = RefreshGate(store: store, scheduler: runtime.scheduler) { _ in .never() }
        try finish(gate.login(try credential()).asObservable())
    }

    private func credential() throws -> Credential {
        var lines = String(decoding: try readAll(from: "-"), as: UTF8.self)
            // A CR and an LF are one character.
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            .map { $0.trimmingCharacters(in: .whitespaces) }[...]
        let names = ["access"] + (refreshToken == nil ? [] : ["refresh"])
        let tokens = try names.map { name in
            guard let token = lines.popFirst(), !token.isEmpty else {
                throw HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "the \(name) token is missing on standard input; write it on a line of its own")
            }
            return token
        }
        return Credential(accessToken: tokens[0], refreshToken: tokens.dropFirst().first)
    }
}
