import ArgumentParser
import Foundation
import Freshet

/// `freshet login`: puts a credential into a profile's store.
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log in to a profile's authorization server, or store tokens that are there already.",
        discussion: """
            Without tokens it logs in at the server: with a browser if this machine has a display, else with a code for \
            another device, else by pasting an address. The address and the code go to standard error.

            The profiles are in ~/.config/freshet/config.json. This is a complete file with one profile, for a server \
            with discovery. For another server, add "authorization_url" or "device_url" to "login", and "url" to "refresh":

            {"profiles": {"api": {
              "origins": ["https://api.example.com"],
              "store": "file:~/.local/state/freshet/api.json",
              "login": {"issuer": "https://id.example.com"},
              "refresh": {"client_id": "cli"}
            }}}

            `freshet login --profile NAME --access-token - --refresh-token -` reads the two from standard input, a line \
            each, so that they stand in no list of processes and in no history; on a terminal it asks for them and does \
            not show them. With --refresh-token alone, the first request asks for an access token.

            `freshet login --profile NAME --from-store STORE` moves a credential from another store into the profile's.

            It replaces what was there, also what can't be read or was refused, except a sealed store that can't be \
            opened; programs that run see it when they next need a credential. The last line on standard output is that of \
            `status`, with scope and refresh_expires_at. Exit 0 when it is stored, 1 when it is not, and then nothing has \
            changed.
            """)

    @OptionGroup var options: ProfileOptions
    @OptionGroup var flow: LoginOptions

    @Option(
        help: ArgumentHelp("Read from standard input; the first line.", valueName: "-"), completion: .list(["-"]))
    var accessToken: String?

    @Option(
        help: ArgumentHelp("Read from standard input; the next line.", valueName: "-"), completion: .list(["-"]))
    var refreshToken: String?

    @Option(help: ArgumentHelp("How long the access token lives from now on, if that is known.", valueName: "seconds"))
    var expiresIn: Seconds?

    @Option(
        help: ArgumentHelp(
            "Move the credential here from another store, written as in a profile, and empty that one.",
            valueName: "store"))
    var fromStore: String?

    /// Whether tokens come from standard input.
    private var hasTokens: Bool { accessToken != nil || refreshToken != nil }

    func validate() throws {
        let given = [accessToken, refreshToken].compactMap { $0 }
        guard given.allSatisfy({ $0 == "-" }) else {
            throw ValidationError("a token in an argument can be read by others; write - and give it on standard input")
        }
        if fromStore != nil, flow.isGiven || !given.isEmpty {
            throw ValidationError("--from-store moves a credential; give no tokens and no way to log in beside it")
        }
        if !given.isEmpty, flow.isGiven {
            throw ValidationError("a token from standard input is stored as it is; give no way to log in beside it")
        }
        if expiresIn != nil, accessToken == nil { throw ValidationError("--expires-in is about an access token") }
    }

    func run() throws {
        try options.checkIsNamed(to: "log in to")
        do {
            try logIn()
        } catch {
            LoginReport(options: flow).show(error)
            throw error
        }
    }

    private func logIn() throws {
        guard let profile = try options.profile(isDiscovered: flow.issuer != nil || flow.discover != nil) else {
            return
        }
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.proxy = .environment
        let runtime = try FreshetRuntime(configuration: configuration)
        defer { runtime.shutdown() }
        let store = try profile.store.openedForLogin(on: runtime)
        if !hasTokens, fromStore == nil { try checkFlow(of: profile) }
        if let fromStore {
            try moveCredential(from: fromStore, to: store, of: profile, on: runtime)
        } else if hasTokens {
            try storeTokens(in: store, of: profile, on: runtime)
        } else {
            try runFlow(into: store, of: profile, on: runtime)
        }
    }

    private func moveCredential(
        from name: String, to store: any CredentialStore, of profile: Profile, on runtime: FreshetRuntime
    ) throws {
        let other = try profile.otherStore(name)
        guard other.lockedPlace == nil || other.lockedPlace != profile.store.lockedPlace else {
            throw HTTPClientError.refusal(
                "--from-store names the profile's own store", "name the store that has the credential now",
                code: .store)
        }
        let storeName = StoreLocation.withoutPassword(name)
        if case .file(let path) = other, access(path, F_OK) != 0, errno == ENOENT {
            throw HTTPClientError.nothingToMove(from: storeName, "there is no such file")
        }
        let source = try other.opened(on: runtime)
        _ = try record(in: store, of: profile)
        // The move would empty the store of the profile that can use the credential.
        if profile.refresh?.provesPossession != true,
            try result(of: source.load().asStoreError()).credential?.details.proofKey != nil
        {
            throw HTTPClientError.refusal(
                "--from-store: the credential is bound to a key, and the profile sends no proofs", .provePossession,
                code: .store)
        }
        do {
            let move = source.moveCredential(to: store).notingWaitForStore(on: runtime.scheduler)
            try show(result(of: move.asStoreError()), of: profile)
        } catch let error as HTTPClientError where error.code == .loginRequired {
            throw HTTPClientError.nothingToMove(from: storeName, error.message)
        }
    }

    private func storeTokens(
        in store: any CredentialStore, of profile: Profile, on runtime: FreshetRuntime
    ) throws {
        let before = try record(in: store, of: profile)
        let stored = try save(try credential(), in: store, of: profile, on: runtime)
        noteEarlierSession(before, insteadOf: stored, of: profile)
        noteMissingKey(of: profile)
        if profile.refresh != nil, profile.needsLogin {
            LoginReport.noteMissingRefreshToken(of: stored, because: "no refresh token was given")
        }
        try show(stored, of: profile)
    }

    private func runFlow(
        into store: any CredentialStore, of profile: Profile, on runtime: FreshetRuntime
    ) throws {
        let before = try record(in: store, of: profile)
        try checkLock(of: store, on: runtime)
        let deadline = flow.timeout.map { LoginDeadline($0.duration, scheduler: runtime.scheduler) }
        let credential = try LoginFlow(
            profile: profile, options: flow, runtime: runtime, stored: before, deadline: deadline
        ).credential()
        let stored = try save(credential, in: store, of: profile, on: runtime)
        noteMissingScopes(stored)
        try show(stored, of: profile)
    }

    private func checkFlow(of profile: Profile) throws {
        if !profile.needsLogin, !flow.isGiven {
            throw HTTPClientError.refusal(
                "the profile's grant is client_credentials, for which nobody logs in",
                "send a request, which gets its token by itself")
        }
        let isDiscovered = flow.settings(over: profile.login).isDiscovered
        // Without discovery no endpoint is known, which is another error.
        if isDiscovered, let error = profile.missingClient { throw error }
        if case .template? = profile.refresh?.call, !isDiscovered {
            throw HTTPClientError.refusal(
                "the refresh of the profile is not OAuth 2, so its server has no login",
                "store tokens with --access-token - --refresh-token -")
        }
    }

    /// The record in the store; `nil` if it can't be read, because a login replaces it. A sealed store has to be readable,
    /// because with the right key its record may still be good.
    private func record(in store: any CredentialStore, of profile: Profile) throws -> StoredCredential? {
        let reading = store.load().asStoreError()
        if case .sealed = profile.store { return try result(of: reading) }
        return try optional { try result(of: reading) }
    }

    /// Stores the credential. A flow revokes the one that was stored before: if several run at once, the last one to end wins,
    /// and no other session stays. Given tokens revoke nothing, because they can be of the session that was stored before, and
    /// servers end a session as a whole (RFC 7009, section 2.1).
    private func save(
        _ credential: Credential, in store: any CredentialStore, of profile: Profile, on runtime: FreshetRuntime
    ) throws -> Credential {
        let revoker = try hasTokens ? nil : optional { try profile.revoker(on: runtime) }
        let store = LoginStore(store: store, scheduler: runtime.scheduler)
        let gate = store.gate(revoke: revoker?.revoke)
        let stored: Credential
        do {
            stored = try result(of: gate.login(credential, revokesReplaced: true))
        } catch {
            if let revoker {
                // Nobody can use the session of a flow, so it does not stay.
                if store.giveUp() {
                    try? finish(revoker.revoke(credential).asObservable())
                } else {
                    Console.report("note: the new tokens are not revoked, because the store can have them")
                }
            }
            throw error
        }
        try finish(gate.settled().asObservable())
        return stored
    }

    /// Notes that the session of the replaced credential has not been revoked, unless a token shows that it goes on.
    private func noteEarlierSession(_ record: StoredCredential?, insteadOf new: Credential, of profile: Profile) {
        guard profile.refresh?.revokeURL != nil || profile.login.isDiscovered, let record, !record.isRefused,
            let old = record.credential, !new.hasAccessToken || old.accessToken != new.accessToken,
            old.refreshToken == nil || old.refreshToken != new.refreshToken
        else { return }
        Console.report(
            "note: the replaced credential is not revoked, because the new one can be of the same session; to end a session, "
                + "run freshet logout --profile \(ShellWord.quoted(profile.name)) before the login")
    }

    /// Notes that a given access token can't be used where the server wants a proof of possession with each request.
    private func noteMissingKey(of profile: Profile) {
        guard profile.refresh?.provesPossession == true, accessToken != nil else { return }
        Console.report(
            "note: a given access token has no key for \"dpop\", so it is sent without a proof, which servers refuse; "
                + "with --refresh-token - alone, the first request gets one that has a key")
    }

    /// Notes the scopes of the options that the server did not grant. Without a scope in its response it granted all.
    private func noteMissingScopes(_ credential: Credential) {
        // GitHub separates scopes by commas. Some servers do not list those that they grant by a token of their own.
        guard let granted = credential.details.scope?.split(whereSeparator: { " ,".contains($0) }),
            let asked = flow.scope
        else { return }
        let missing = asked.split(separator: " ").filter {
            !granted.contains($0) && !["openid", "offline_access"].contains($0)
        }
        if !missing.isEmpty {
            Console.report("note: the server did not grant \(missing.joined(separator: " "))")
        }
    }

    /// Fails if the store can't be locked for writing, because otherwise that would show only after the user has logged in. A
    /// store that another process holds can be locked.
    private func checkLock(of store: any CredentialStore, on runtime: FreshetRuntime) throws {
        let locking = store.lock().map { $0.unlock() }
        try finish(
            locking.timeout(.seconds(1), other: .just(()), scheduler: runtime.scheduler).asStoreError().asObservable())
    }

    private func show(_ credential: Credential, of profile: Profile) throws {
        try show(StoredCredential(credential: credential, version: credential.generation), of: profile)
    }

    private func show(_ record: StoredCredential, of profile: Profile) throws {
        let state = CredentialState(of: record, at: WallClock.secondsSince1970(), window: Status.expiringWindow)
        var writer = JSONWriter()
        writer.object { line in
            if flow.json { line.member("event") { $0.string("done") } }
            StatusLine(profile, record, state).write(into: &line, withAll: true)
        }
        do {
            try printResult(String(decoding: writer.bytes, as: UTF8.self))
        } catch {
            // The login itself has succeeded.
            Console.report("note: the credential is stored, but its line can't be written: \(error.commandLineMessage)")
        }
    }

    private func credential() throws -> Credential {
        var input = SecretInput()
        var credential: Credential
        if accessToken == nil {
            credential = Credential(refreshToken: try token("refresh token", from: &input))
        } else {
            credential = Credential(accessToken: try token("access token", from: &input))
            credential.refreshToken = try refreshToken.map { _ in try token("refresh token", from: &input) }
            credential.expiresAt = expiresIn.map { WallClock.secondsSince1970() + $0.duration / .seconds(1) }
        }
        credential.details.scope = flow.scope
        return credential
    }

    private func token(_ name: String, from input: inout SecretInput) throws -> String {
        guard let token = try input.line(name)?.trimmingCharacters(in: .whitespaces), !token.isEmpty else {
            throw HTTPClientError.refusal(
                "the \(name) is missing on standard input", "write it on a line of its own")
        }
        let isQuoted = token.count > 1 && token.first == token.last && "\"'".contains(token.prefix(1))
        guard !token.contains(" "), !isQuoted else {
            throw HTTPClientError.refusal(
                "the \(name) on standard input has \(isQuoted ? "quotation marks around it" : "a space")",
                "write the token alone, without Bearer and without quotation marks")
        }
        return token
    }
}
