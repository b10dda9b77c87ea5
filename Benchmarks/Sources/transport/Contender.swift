import Glibc
import Harness

/// A program that sends requests as it is told.
struct Contender {
    var name: String
    /// With what its way of sending asks for.
    var words: [String]
    /// What part of the requests it is given: enough for a rate, and no more, where it is slow.
    var share = 1.0
    /// Whom it is compared with in its own round.
    var against = "limit"
    /// And whom besides.
    var alsoAgainst: [String] = []

    static let limit = Contender(name: "limit", words: [Child.sibling("curl-limit")])
    static let limitOnOneMulti = limit.with("--one-multi", named: "limit, on one multi handle")
    static let limitThatKeeps = limit.with("--keep-body", named: "limit, body kept")
    static let limitAskedElsewhere = limit.with("--handoff", named: "limit, asked by a thread")
    static let limitWithHeaders = limit.withHeaders
    static let limitThatKeepsWithHeaders = limitThatKeeps.withHeaders
    static let limitAskedElsewhereWithHeaders = limitAskedElsewhere.withHeaders
    static let freshet = Contender(name: "Freshet", words: [Child.sibling("peer-freshet")])
    static let freshetThatKeeps = freshet.with("--keep-body", named: "Freshet, collected")
        .compared(with: limitThatKeeps).compared(alsoWith: [limitThatKeepsWithHeaders])
    static let freshetFromThread = freshet.with("--from", "thread", named: "Freshet, from a thread")
        .compared(with: limitAskedElsewhere).compared(alsoWith: [limitAskedElsewhereWithHeaders])
    static let freshetFromTasks = freshet.with("--from", "async", named: "Freshet, from async code")
        .compared(with: limitAskedElsewhere).compared(alsoWith: [limitAskedElsewhereWithHeaders])
    static let freshetFromTasksOnLoop =
        freshet
        .with("--from", "tasks-on-loop", named: "Freshet, from async code on its loop")
        .compared(with: limitThatKeeps).compared(alsoWith: [limitThatKeepsWithHeaders])
    static let freshetOnOneLoop = freshetFromThread.compared(with: freshetFromThread).compared(alsoWith: [])
    static let freshetOnTwoLoops = freshetOnOneLoop.with("--loops", "2", named: "Freshet, on two loops")
    static let freshetAlone = freshet.compared(with: freshet)
    static let freshetWithAllLayers = Contender.layers.reduce(freshetAlone) {
        $0.with("--layer", $1, named: "Freshet, all layers")
    }

    /// In the order in which a client lists them.
    static let layers = ["cache", "coalescing", "hedging", "breaker", "bulkhead", "rate"]

    static func freshet(_ layer: String) -> Contender {
        freshetAlone.with("--layer", layer, named: "Freshet, \(layer)")
    }

    static let nio = Contender(name: "async-http-client", words: [Child.sibling("peer-nio")], share: 0.3)
    static let urlSession = Contender(name: "URLSession", words: [Child.sibling("peer-urlsession")], share: 0.05)

    /// Those that others have made.
    static let peers = [nio, urlSession]

    /// The first word that is a path: others may stand before it.
    var program: String { words.first { $0.hasPrefix("/") } ?? "" }

    /// The same with the two headers more that Freshet's requests have.
    private var withHeaders: Contender { with("--headers", named: name + ", our headers") }

    /// As libcurl names itself to a program that is started now.
    static func loadedLibcurl() throws -> String {
        let words = try Child.run(limit.words + ["--version"]).output.split(separator: " ")
        return words.first.map { String($0).replacing("/", with: " ") } ?? "libcurl"
    }

    /// Whether its program has been built.
    var isThere: Bool { access(program, X_OK) == 0 }

    func with(_ words: String..., named name: String) -> Contender {
        var other = self
        other.words += words
        other.name = name
        return other
    }

    func compared(alsoWith others: [Contender]) -> Contender {
        var other = self
        other.alsoAgainst = others.map(\.name)
        return other
    }

    func compared(with base: Contender) -> Contender {
        var other = self
        other.against = base.name
        return other
    }
}
