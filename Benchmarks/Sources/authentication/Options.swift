/// What follows the first word of the command.
struct Options {
    var requests: Int?
    var rounds = 15
    var connections: Int?
    /// Of the program's calls to itself.
    var url = ""
    var token: String?
    var manner = Manner.plain

    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--url": url = value
            case "--token": token = value
            case "--manner":
                guard let manner = Manner(rawValue: value) else { return nil }
                self.manner = manner
            default:
                guard let number = Int(value), number > 0 else { return nil }
                switch name {
                case "--requests": requests = number
                case "--rounds": rounds = number
                case "--connections": connections = number
                default: return nil
                }
            }
        }
    }
}

/// How a request comes by its token.
enum Manner: String, CaseIterable {
    /// Not at all.
    case plain = "without a token"
    /// The caller has put it on.
    case byHand = "token put on by hand"
    /// The interceptor puts it on.
    case authenticated = "with authentication"
}
