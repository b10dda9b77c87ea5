/// What follows the program's name.
struct Options {
    var keys: [String] = []
    /// Where the streams are, if this process is the one that follows them.
    var url: String?
    var streams = 10_000
    /// How long they are held.
    var seconds = 20
    var rounds = 3
    /// How long there is no server.
    var down = 2.0

    init?(_ words: some Sequence<String>) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick": (streams, seconds, rounds, down) = (1000, 5, 1, 1)
            case "client":
                guard let url = rest.popFirst() else { return nil }
                self.url = url
            case _ where !word.hasPrefix("-"): keys.append(word)
            default:
                guard let value = rest.popFirst(), let number = Double(value), number > 0 else { return nil }
                switch word {
                case "--streams": streams = Int(number)
                case "--seconds": seconds = Int(number)
                case "--rounds": rounds = Int(number)
                case "--down": down = number
                default: return nil
                }
            }
        }
    }

    func wants(_ key: String) -> Bool { keys.isEmpty || keys.contains(key) }
}
