/// What follows the program's name.
struct Options {
    var keys: [String] = []
    var rounds = 5
    /// How long each contender sends on a schedule.
    var seconds = 20

    init?(_ words: some Sequence<String>) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick": (rounds, seconds) = (1, 5)
            case _ where !word.hasPrefix("-"): keys.append(word)
            default:
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
                switch word {
                case "--rounds": rounds = number
                case "--seconds": seconds = number
                default: return nil
                }
            }
        }
    }

    func wants(_ key: String) -> Bool { keys.isEmpty || keys.contains(key) }
}
