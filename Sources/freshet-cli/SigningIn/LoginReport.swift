import Foundation
import Freshet

/// Shows the events of a login: as text on standard error, and with `--json` also as lines on standard output.
struct LoginReport: Sendable {
    let isJSON: Bool
    private let opensBrowser: Bool
    private let drawsCode: Bool

    init(options: LoginOptions) {
        isJSON = options.json
        opensBrowser = !options.noOpen && !options.paste
        drawsCode = options.qr && Console.isTerminal && Self.isUTF8
    }

    private static var isUTF8: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return locale.uppercased().replacing("-", with: "").contains("UTF8")
    }

    /// Shows `event`. It prints the address before it opens a browser and before the login waits.
    func show(_ event: LoginEvent) throws {
        switch event {
        case .device(let code):
            Console.write(
                "Open \(code.verificationURL.absoluteString) on any device, and enter the code \(code.userCode)\n")
            draw(code.completeURL ?? code.verificationURL)
            try line("device") { line in
                line.member("user_code") { $0.string(code.userCode) }
                line.member("verification_uri") { $0.string(code.verificationURL.absoluteString) }
                line.member("verification_uri_complete") {
                    if let url = code.completeURL { $0.string(url.absoluteString) } else { $0.null() }
                }
                line.member("expires_at") { $0.seconds(code.expiresAt) }
            }
            Console.flush()
            if opensBrowser, BrowserOpener.hasDisplay { BrowserOpener.open(code.completeURL ?? code.verificationURL) }
        case .browser(let url, let expiresAt):
            Console.write("Open this address in a browser, and log in:\n\(url.absoluteString)\n")
            draw(url)
            try line("browser") { line in
                line.member("url") { $0.string(url.absoluteString) }
                line.member("expires_at") { $0.seconds(expiresAt) }
            }
            Console.flush()
            if opensBrowser { BrowserOpener.open(url) }
        case .ignored(let reason):
            Console.report("note: a callback is not that of this login: \(reason); waiting for another one")
        case .credential(let credential):
            Self.noteMissingRefreshToken(of: credential, because: "the server has sent no refresh token")
        }
    }

    /// Notes the end of a session that no refresh token renews.
    static func noteMissingRefreshToken(of credential: Credential, because reason: String) {
        guard credential.refreshToken == nil else { return }
        let end = credential.expiresAt.map { "ends at \(Date(timeIntervalSince1970: $0).formatted(.iso8601)) and " }
        Console.report("note: \(reason); the session \(end ?? "")can't be renewed")
    }

    private func draw(_ url: RequestURL) {
        guard drawsCode, let code = QRCode(url.absoluteString) else { return }
        // A code whose lines are broken can't be scanned.
        if let width = terminalWidth(STDERR_FILENO), width < code.width {
            return Console.report(
                "note: the QR code needs \(code.width) columns, and the terminal has \(width), so it is left out")
        }
        Console.write(code.text)
    }

    private func line(_ event: String, _ members: (inout JSONWriter) -> Void) throws {
        guard isJSON else { return }
        var writer = JSONWriter()
        writer.object { line in
            line.member("event") { $0.string(event) }
            members(&line)
        }
        try printResult(String(decoding: writer.bytes, as: UTF8.self))
    }

    /// Writes the last line of a login that has failed, with `--json`. If that fails too, the error of the login counts.
    func show(_ error: any Error) {
        guard isJSON, let error = error as? HTTPClientError else { return }
        try? line("error") { line in
            line.member("code") { $0.string(error.code.rawValue) }
            line.member("message") { $0.string(error.phrasedAsOptions.explanation) }
        }
    }
}
