import ArgumentParser
import Freshet

/// `freshet login`: puts a credential into a profile's store.
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a credential into a profile's store.",
        discussion: """
            `freshet login --profile NAME --access-token - --refresh-token -` reads the two from standard input, a line \
            each, so that they stand in no list of processes and in no history; on a terminal it asks for them and does \
            not show them. With --refresh-token alone, the first request asks for an access token.

            It replaces what was there, also what can't be read or was refused; programs that run see it when they next \
            need a credential. Exit 0 when it is stored, 1 when it is not, and then nothing has changed.
            """)

    /// Stands for an access token that is still to be asked for; it has ended, so it is never sent.
    private static let noAccessToken = "none"

    @OptionGroup var options: ProfileOptions

    @Option(help: ArgumentHelp("Read from standard input; the first line.", valueName: "-"))
    var accessToken: String?

    @Option(help: ArgumentHelp("Read from standard input; the next line.", valueName: "-"))
    var refreshToken: String?

    @Option(help: ArgumentHelp("How long the access token lives from now on, if that is known.", valueName: "seconds"))
    var expiresIn: Seconds?

    func validate() throws {
        if options.name == nil { throw ValidationError("--profile is missing; name the profile to log in to") }
        let given = [accessToken, refreshToken].compactMap { $0 }
        if given.isEmpty { throw ValidationError("there is nothing to store; write --access-token -") }
        guard given.allSatisfy({ $0 == "-" }) else {
            throw ValidationError("a token in an argument can be read by others; write - and give it on standard input")
        }
        if expiresIn != nil, accessToken == nil { throw ValidationError("--expires-in is about an access token") }
    }

    func run() throws {
        guard let profile = try options.profile() else { return }
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let store = try profile.store.openedForLogin(on: runtime)
        let gate = RefreshGate(store: store, scheduler: runtime.scheduler) { _ in .never() }
        try finish(gate.login(try credential()).asObservable())
    }

    private func credential() throws -> Credential {
        var input = SecretInput()
        let access = try accessToken.map { _ in try token("access token", from: &input) }
        let refresh = try refreshToken.map { _ in try token("refresh token", from: &input) }
        let now = WallClock.secondsSince1970()
        return Credential(
            accessToken: access ?? Self.noAccessToken, refreshToken: refresh,
            expiresAt: access == nil ? 0 : expiresIn.map { now + $0.duration / .seconds(1) })
    }

    private func token(_ name: String, from input: inout SecretInput) throws -> String {
        guard let token = try input.line(name), !token.isEmpty else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the \(name) is missing on standard input", recoverySuggestion: "write it on a line of its own"
            )
        }
        return token
    }
}
