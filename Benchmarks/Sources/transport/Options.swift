import Glibc

/// What follows the program's name.
struct Options {
    /// Keys of scenarios, or parts of them; none are all.
    var keys: [String] = []
    var rounds = 7
    /// Of the requests: less is sooner and less certain.
    var share = 1.0
    var streams = 10_000
    var silence = 30
    var gibibytes = 1
    var counts = true
    var hasPeers = true
    var isPinned = false
    /// Folders with a libcurl that is loaded instead of the system's; the system's has no name.
    var libraries = [""]
    /// The command, built for release.
    var freshet = "../.build/release/freshet"

    var hasFreshet: Bool { access(freshet, X_OK) == 0 }

    init?(_ words: some Sequence<String>) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick":
                (rounds, share, streams, silence, counts) = (1, 0.1, 1000, 5, false)
            case "--no-instructions": counts = false
            case "--no-peers": hasPeers = false
            case "--pin": isPinned = true
            case "--libcurl":
                guard let path = rest.popFirst() else { return nil }
                libraries.append(path)
            case "--freshet":
                guard let path = rest.popFirst() else { return nil }
                freshet = path
            case _ where !word.hasPrefix("-"): keys.append(word)
            default:
                guard let value = rest.popFirst(), let number = Double(value), number >= 0 else { return nil }
                switch word {
                case "--rounds": rounds = Int(number)
                case "--share": share = number
                case "--streams": streams = Int(number)
                case "--silence": silence = Int(number)
                case "--gibibytes": gibibytes = Int(number)
                default: return nil
                }
            }
        }
    }

    func wants(_ key: String) -> Bool { keys.isEmpty || keys.contains { key.hasPrefix($0) } }
}
