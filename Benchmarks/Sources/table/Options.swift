import Workload

/// `table [word …] [--rounds N] [--slice MILLISECONDS] [--rxswift PATH]`
struct Options {
    var words: [String] = []
    var rounds = 60
    var slice = Duration.milliseconds(1)
    /// The folder of a checkout of RxSwift.
    var rxSwift: String?

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
            case "--rxswift":
                guard let path = rest.popFirst() else { return nil }
                rxSwift = path
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
