import Foundation
import Freshet

/// What a token that works costs a request, in user instructions as callgrind counts them.
enum Cost {
    /// So many requests are under way at a time, as in `freshet run`.
    private static let concurrency = 32

    static func report(_ options: Options) throws {
        let count = options.requests ?? 2000
        print("\na request of \(count), \(concurrency) at a time: the client's instructions, counted by callgrind")
        let server = try ServerApart()
        defer { server.end() }
        let token = try server.signIn().accessToken
        var costs: [Manner: Double] = [:]
        for manner in Manner.allCases {
            // What the process does once is in both counts.
            let few = try instructions(of: 200, manner, at: server.openURL, token)
            let many = try instructions(of: 200 + count, manner, at: server.openURL, token)
            let each = Double(many - few) / Double(count)
            costs[manner] = each
            let share = costs[.plain].map { "+\(hundredths((each - $0) / each * 100)) %" } ?? ""
            print(
                "  \(manner.rawValue.padded(to: 24))\("\(Int(each))".padded(to: -10))"
                    + (manner == .plain ? "" : share.padded(to: -11)))
        }
        if let byHand = costs[.byHand], let whole = costs[.authenticated] {
            print("  beyond its header, the token costs \(hundredths((whole - byHand) / whole * 100)) %")
        }
    }

    private struct Uncounted: Error, CustomStringConvertible {
        var description: String
    }

    private static func instructions(
        of count: Int, _ manner: Manner, at url: String, _ token: String
    ) throws -> Int {
        let process = Process()
        let complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path, "send", "--requests", "\(count)",
            "--manner", manner.rawValue, "--url", url, "--token", token,
        ]
        process.standardError = complaints
        try process.run()
        let said = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = said.split(whereSeparator: \.isWhitespace)
        guard process.terminationStatus == 0, let index = words.firstIndex(of: "Collected"),
            let number = words.dropFirst(index + 2).first.flatMap({ Int($0) })
        else { throw Uncounted(description: said) }
        return number
    }

    /// What is counted.
    static func send(_ options: Options) throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        var client = runtime.client
        var headers = HTTPFields()
        if let token = options.token {
            switch options.manner {
            case .plain: break
            case .byHand: headers[.authorization] = "Bearer \(token)"
            case .authenticated:
                let authenticator = try OAuthAuthenticator(
                    tokenURL: RequestURL(options.url + "/token"), client: runtime.refreshClient)
                let credential = Credential(accessToken: token, refreshToken: "none")
                let gate = runtime.gate(store: MemoryStore(credential), authenticator: authenticator)
                client = try runtime.client(authenticatedBy: gate, authenticator, origins: [options.url])
            }
        }
        let request = Request(url: try RequestURL(options.url + "/open/to/all"), headers: headers)
        _ = try Observable.range(start: 0, count: options.requests ?? 1)
            .map { [client] _ in client.send(request).asObservable() }
            .merge(maxConcurrent: concurrency)
            .waited()
    }
}
