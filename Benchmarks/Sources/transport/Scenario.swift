import Harness

/// What all contenders are asked to do in turn.
struct Scenario {
    var key: String
    var title: String
    var path: String
    var isSecure = false
    var requests: Int
    var concurrency: Int
    var bytes: Int
    var extra: [String] = []
    var contenders: [Contender]
    /// Counted with this many requests and three times as many.
    var counted = 1000

    static func all(_ peers: [Contender], streamsBeside: Int, at silent: String) -> [Scenario] {
        let beside = ["--beside", "\(streamsBeside)", "--stream-url", silent]
        func besides(_ contender: Contender) -> Contender {
            var other = contender.compared(with: contender)
            other.name += " beside \(streamsBeside) streams"
            other.words += beside
            return other
        }
        let handedOn: [Contender] = [.limit, .limitWithHeaders, .freshet.compared(alsoWith: [.limitWithHeaders])]
        let collected: [Contender] = [.limitThatKeeps, .limitThatKeepsWithHeaders, .freshetThatKeeps]
        return [
            small(1, requests: 10_000, peers), small(64, requests: 30_000, peers),
            small(512, requests: 30_000, beside: [.limitOnOneMulti], peers),
            Scenario(
                key: "token", title: "200 B, 64 at a time, with a token of 1 KiB", path: "/200", requests: 30_000,
                concurrency: 64, bytes: 200, extra: ["--token-bytes", "1024"],
                contenders: [
                    .limitWithHeaders.compared(with: .limitWithHeaders), .freshet.compared(with: .limitWithHeaders),
                ]),
            Scenario(
                key: "elsewhere", title: "200 B, 64 at a time, asked from elsewhere", path: "/200", requests: 30_000,
                concurrency: 64, bytes: 200,
                contenders: .elsewhere),
            Scenario(
                key: "elsewhere-1", title: "200 B, one at a time, asked from elsewhere", path: "/200", requests: 10_000,
                concurrency: 1, bytes: 200,
                contenders: .elsewhere),
            Scenario(
                key: "loops", title: "200 B, 64 at a time, on a group of loops", path: "/200", requests: 30_000,
                concurrency: 64, bytes: 200,
                contenders: [.freshetOnOneLoop, .freshetOnTwoLoops]),
            Scenario(
                key: "layers", title: "200 B that is not stored, 64 at a time, through layers", path: "/uncached/200",
                requests: 30_000, concurrency: 64, bytes: 200,
                contenders: [.freshetAlone, .freshet("none")] + Contender.layers.map { .freshet($0) }
                    + [.freshetWithAllLayers]),
            Scenario(
                key: "hits", title: "200 B from a cache, 64 at a time, beside nginx", path: "/cached/200",
                requests: 30_000, concurrency: 64, bytes: 200,
                contenders: [
                    .freshetAlone, .freshet("cache"),
                    .freshet("disk-cache").with(
                        "--cache-folder", Directory.shared.path("cache"), named: "Freshet, disk-cache"),
                ]),
            Scenario(
                key: "16k", title: "16 KiB, 64 at a time", path: "/16384", requests: 20_000, concurrency: 64,
                bytes: 16_384, contenders: handedOn + collected + peers),
            Scenario(
                key: "1m", title: "1 MiB, 64 at a time", path: "/1048576", requests: 1500, concurrency: 64,
                bytes: 1_048_576, contenders: handedOn + collected + peers, counted: 200),
            Scenario(
                key: "h2", title: "HTTP/2 over TLS, 200 B, 64 at a time", path: "/200", isSecure: true,
                requests: 20_000, concurrency: 64, bytes: 200, extra: ["--http2"], contenders: handedOn + peers),
            Scenario(
                key: "tls", title: "a new TLS connection for each, one at a time", path: "/200", isSecure: true,
                requests: 600, concurrency: 1, bytes: 200, extra: ["--fresh"], contenders: handedOn + peers, counted: 50
            ),
            Scenario(
                key: "beside", title: "200 B, 64 at a time, beside silent streams", path: "/200", requests: 30_000,
                concurrency: 64, bytes: 200,
                contenders: [.limit, besides(.limit), .freshet, besides(.freshet)]),
        ]
    }

    private static func small(
        _ concurrency: Int, requests: Int, beside limits: [Contender] = [], _ peers: [Contender]
    ) -> Scenario {
        let limits = [.limitWithHeaders] + limits
        let contenders = [.limit] + limits + [.freshet.compared(alsoWith: limits)] + peers
        return Scenario(
            key: "small-\(concurrency)", title: "200 B, \(concurrency) at a time", path: "/200", requests: requests,
            concurrency: concurrency, bytes: 200, contenders: contenders, counted: max(1000, 4 * concurrency))
    }

    /// The whole command.
    func command(_ contender: Contender, at nginx: Nginx, requests: Int) -> [String] {
        let words =
            contender.words + [
                (isSecure ? nginx.secure : nginx.plain) + path, "--requests", "\(requests)", "--concurrency",
                "\(concurrency)", "--bytes", "\(bytes)",
            ] + (isSecure ? ["--cacert", nginx.certificate] : []) + extra
        guard isSecure, contender.name == Contender.urlSession.name else { return words }
        return Self.whereSystemTrusts(nginx.certificate) + words
    }

    /// URLSession trusts on Linux whom the system trusts and nobody else. This has the certificate stand in the place of the
    /// system's for one process.
    private static func whereSystemTrusts(_ certificate: String) -> [String] {
        let place = "/etc/ssl/certs/ca-certificates.crt"
        return ["unshare", "-r", "-m", "sh", "-c", "mount --bind \"$0\" \(place) && exec \"$@\"", certificate]
    }
}

extension [Contender] {
    /// Asked from elsewhere, or in `async` code that has come to the loop.
    fileprivate static let elsewhere: [Contender] = [
        .limit, .limitAskedElsewhere, .limitAskedElsewhereWithHeaders, .freshetFromThread, .freshetFromTasks,
        .limitThatKeeps, .limitThatKeepsWithHeaders, .freshetFromTasksOnLoop,
    ]
}
