import Foundation
import Freshet
import FreshetLoad
import Synchronization

/// Writes to standard error what happens to a request. The values in a query are left out, and so are the values of all headers
/// except those that are known to hold no secret. Challenges explain a refusal, so they are shown too. A server can repeat a
/// credential there, so a value of the request that is not shown is left out of them.
final class Trace: Sendable {
    private static let shown = Redaction.harmlessFields.union(
        [
            "WWW-Authenticate", "Proxy-Authenticate", "Alt-Svc", "Content-Security-Policy", "Pragma", "Referrer-Policy",
            "Upgrade", "X-Cache", "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Request-Id",
            "X-Correlation-Id", "RateLimit", "RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining",
            "RateLimit-Reset", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
        ].compactMap { HTTPField.Name($0) })

    private static let omission = "(not shown)"

    private let profileName: String
    /// The origins that receive the profile's credential; `nil` without a profile.
    private let origins: [Origin]?
    /// Where the next attempt should go.
    private let target: Locked<RequestURL>
    private let hasBody = Atomic<Bool>(false)
    /// What challenges must not show.
    private let secrets = Locked<Set<Substring>>([])
    /// How often the request was sent again with a newer credential so far.
    private let replays = Atomic<Int>(0)
    /// The events for ``showEnding()``.
    private let ending = Locked<[RequestEvent]>([])

    init(of url: RequestURL, profile: Profile?) {
        target = Locked(url)
        profileName = profile?.name ?? ""
        origins = profile?.origins
    }

    /// Writes the lines of `event`. Those of the trailers and of the end wait for ``showEnding()``.
    func show(_ event: RequestEvent) {
        switch event {
        case .attempt(let number, let request):
            showEnding()
            showUpgrade(to: request.url)
            let replays = request.tags[AppliedCredential.self]?.replays ?? 0
            let isReplay = replays > self.replays.exchange(replays, ordering: .relaxed)
            write("* attempt \(number)\(isReplay ? ", a replay with a new credential" : ""): \(request.url.origin)")
            showMissingCredential(for: request.url)
            write("> \(request.method) \(Self.target(of: request.url))")
            write(request.headers, mark: ">")
            secrets.withLock { $0.formUnion(Self.secrets(in: request.headers)) }
        case .phase(let phase):
            write("* \(Self.description(of: phase))")
        case .informational(let head):
            write("< \(head.status)")
        case .redirect(let status, let url):
            target.withLock { $0 = url }
            write("* \(status): redirected to \(url)")
            showMissingCredential(for: url)
        case .retry(let delay, let outcome):
            write(
                "* \(Self.description(of: outcome)); sent again\(delay > .zero ? " after \(TextFormat.seconds(delay / .seconds(1)))" : "")"
            )
        case .head(let head, _):
            write("< \(head.status)")
            write(head.headerFields, mark: "<")
        case .credentialChanged(let change):
            write("* credential \(change)")
        case .trailers, .finished:
            ending.withLock { $0.append(event) }
        case .sent:
            break
        case .body:
            if !hasBody.exchange(true, ordering: .relaxed) { write("* first byte of the body") }
        }
    }

    /// Writes the lines of the trailers and of the end, which arrive while a part of the body may still wait to be written. The
    /// caller has written the whole body.
    func showEnding() {
        for event in ending.withLock({ events in
            defer { events = [] }
            return events
        }) {
            switch event {
            case .trailers(let fields): write(fields, mark: "<")
            case .finished(let timings): write(timings)
            default: break
            }
        }
    }

    private func showUpgrade(to url: RequestURL) {
        guard url.scheme == "https", target.withLock({ $0.scheme }) == "http" else { return }
        target.withLock { $0 = url }
        write("* HSTS: \(url.host) takes https alone")
    }

    private func showMissingCredential(for url: RequestURL) {
        guard let origins, !origins.contains(url.origin) else { return }
        write("* no credential of the profile \(profileName): its origins do not contain \(url.origin)")
    }

    func show(_ refresh: RefreshEvent) {
        let reason = refresh.error.map { ": \($0.commandLineMessage)" } ?? ""
        write(
            "* refresh, credential \(refresh.cause.rawValue): \(refresh.outcome.rawValue) after \(TextFormat.milliseconds(refresh.duration)) ms\(reason)"
        )
    }

    private static func description(of phase: TransferPhase) -> String {
        switch phase {
        case .admitted: "admitted: a connection may be used"
        case .resolved(let host, let addresses): "resolved \(host) to \(addresses.joined(separator: ", "))"
        case .connected(let address, let reused): "\(reused ? "kept connection" : "connected") to \(address)"
        case .secured(let name): "TLS done, speaking \(name)"
        case .requestSent(let bytes): "request sent, \(bytes) bytes"
        case .cache(.hit(let age)): "response from the cache, \(age) s old"
        case .cache(.stale(let age)): "stale response from the cache, \(age) s old"
        case .cache(.revalidated): "response from the cache, confirmed by the server"
        case .cache(.miss), .cache(.unsatisfiable): "not in the cache"
        case .layer(let event): "\(event)"
        }
    }

    static func note(ofRetryAfter delay: Duration, dueTo outcome: Attempt.Outcome) -> String {
        "note: \(description(of: outcome)); trying again in \(TextFormat.seconds(delay / .seconds(1)))"
    }

    static func description(of outcome: Attempt.Outcome) -> String {
        switch outcome {
        case .response(let response): "responded with \(response.status)"
        case .failure(let error): (error as? HTTPClientError)?.commandLineMessage ?? "failed"
        }
    }

    /// The path, and the names in the query.
    private static func target(of url: RequestURL) -> String {
        String(Redaction().url(url).dropFirst(url.origin.description.utf8.count))
            .replacing(Redaction.mask, with: omission)
    }

    /// The words in the fields that are not shown, such as a token behind its scheme.
    private static func secrets(in fields: HTTPFields) -> [Substring] {
        fields.filter { !shown.contains($0.name) }.flatMap { field in
            let words = field.value.split { " ;=,".contains($0) }
            let hasScheme = [.authorization, .proxyAuthorization].contains(field.name) && field.value.contains(" ")
            return words.dropFirst(hasScheme ? 1 : 0).filter { $0.count >= 4 }
        }
    }

    private func write(_ fields: HTTPFields, mark: String) {
        let secrets = secrets.withLock { $0 }
        for field in fields {
            var value = Self.shown.contains(field.name) ? field.value : Self.omission
            if [.wwwAuthenticate, .proxyAuthenticate].contains(field.name) {
                value = secrets.reduce(value) { $0.replacing($1, with: Self.omission) }
            }
            write("\(mark) \(field.name.rawName): \(value)")
        }
    }

    private func write(_ timings: RequestTimings) {
        let (head, total) = (TextFormat.milliseconds(timings.untilHead), TextFormat.milliseconds(timings.total))
        write("* head after \(head) ms, finished after \(total) ms, attempts: \(timings.attempts)")
        let phases = timings.phases.filter { $0.duration > .zero }
            .map { "\($0.name) \(TextFormat.milliseconds($0.duration)) ms" }
        write("* of that: \(phases.joined(separator: ", "))")
    }

    func write(_ text: String) {
        Console.write(text + "\n")
    }
}
