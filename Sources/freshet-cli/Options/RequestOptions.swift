import ArgumentParser
import Foundation
import Freshet

/// The options for how requests are sent, for every verb that sends requests.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("m"), .customLong("max-time")],
        help: ArgumentHelp(
            "How long a request may take, with its redirects, refresh, replay and retries: over 0, such as 0.5 (default: 60).",
            valueName: "seconds"))
    var timeout: Seconds?

    @Option(help: ArgumentHelp("How long one connection may take to be made.", valueName: "seconds"))
    var connectTimeout: Seconds?

    @Option(
        help: ArgumentHelp(
            "Up to <n> further tries after 408, 429, 500, 502, 503, 504 or a failed connection.",
            discussion: """
                A retry waits as long as Retry-After says, otherwise a random time: up to 0.5 s before the first retry, up \
                to 1 s before the second, and so on up to 30 s. POST and PATCH are sent again only after 429 and 503 \
                with Retry-After, or when nothing of them was sent. An event stream ends with such a status after these \
                tries, on a reconnection too.
                """,
            valueName: "n"))
    var retry = 0

    @Flag(help: "Let --retry send requests of every method again.")
    var retryAll = false

    @Flag(name: .customLong("http2"), help: "Ask for HTTP/2 over TLS, and fail if it is not spoken.")
    var http2 = false

    @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1, where HTTP/2 is offered too.")
    var http1 = false

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "The trust roots, in PEM, instead of the system's; else $SSL_CERT_FILE.", valueName: "file"),
        completion: .file())
    var trustRoots: String?

    func validate() throws {
        try NamedFiles.check([("--cacert", trustRoots)])
        if http1, http2 { throw ValidationError("--http1.1 and --http2 are both there; leave one out") }
        if retry < 0 { throw ValidationError("--retry is a number from 0 up") }
    }

    /// The interceptor that sends requests again, if `--retry` asks for that.
    var retries: [any RequestInterceptor] {
        guard retry > 0 else { return [] }
        var policy = RetryPolicy(limit: retry)
        policy.retryAfterJitter = 0.1
        policy.includesAllMethods = retryAll
        return [policy]
    }
}
