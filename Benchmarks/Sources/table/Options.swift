import Workload

/// `table [word …] [--rounds N] [--slice MILLISECONDS]`
struct Options {
    var words: [String] = []
    var rounds = 60
    var slice = Duration.milliseconds(1)

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--rounds":
                guard let number = rest.popFirst().flatMap(Int.init), number > 0 else { return nil }
                rounds = number
            case "--slice":
                guard let number = rest.popFirst().flatMap(Int.init), number > 0 else { return nil }
                slice = .milliseconds(number)
            case _ where argument.hasPrefix("-"):
                return nil
            default:
                words.append(argument.lowercased())
            }
        }
    }

    /// The shapes whose name has one of the words, or all.
    var shapes: [Shape] {
        Shape.allCases.filter { shape in
            let name = "\(shape.rawValue) \(shape)".lowercased()
            return words.isEmpty || words.contains { name.contains($0) }
        }
    }
}
