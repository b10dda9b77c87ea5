/// What the command line of a contender asks for; the words are those of `curl-limit`.
public struct PeerOptions: Sendable {
    public var url = ""
    public var requests = 10_000
    public var concurrency = 64
    /// How long each answer must be; 0 takes any length.
    public var bytes = 0
    public var http2 = false
    /// Each answer's body is gathered.
    public var keepsBody = false
    /// A new connection for each request.
    public var fresh = false
    public var caFile: String?
    /// Silent event streams, open all the while.
    public var streams = 0
    public var streamURL: String?
    /// How long they are held when there is nothing else to do.
    public var seconds = 0
    /// Where the body goes.
    public var output: String?
    /// Of those contenders that know more than one way: from where the requests are asked.
    public var from = "loop"
    public var loops = 1
    /// How long the token is that each request carries.
    public var tokenBytes = 40
    /// Of those contenders that have layers: their names, the outermost first.
    public var layers: [String] = []
    /// Where a disk cache is.
    public var cacheFolder: String?

    public var isForStreamsAlone: Bool { streams > 0 && requests == 0 }

    /// - Returns: `nil` if the words make no sense.
    public init?(_ words: some Sequence<String>) {
        var rest = Array(words)[...]
        var isBeside = false
        while let word = rest.popFirst() {
            switch word {
            case "--http2": http2 = true
            case "--keep-body": keepsBody = true
            case "--fresh": fresh = true
            case _ where !word.hasPrefix("-"): url = word
            default:
                guard let value = rest.popFirst() else { return nil }
                switch word {
                case "--cacert": caFile = value
                case "--stream-url": streamURL = value
                case "-o", "--output": output = value
                case "--from": from = value
                case "--layer": layers.append(value)
                case "--cache-folder": cacheFolder = value
                default:
                    guard let number = Int(value), number >= 0 else { return nil }
                    switch word {
                    case "--requests": requests = number
                    case "--concurrency": concurrency = number
                    case "--bytes": bytes = number
                    case "--streams": streams = number
                    case "--beside":
                        streams = number
                        isBeside = true
                    case "--seconds": seconds = number
                    case "--loops": loops = number
                    case "--token-bytes": tokenBytes = number
                    default: return nil
                    }
                }
            }
        }
        if streams > 0, !isBeside {
            requests = 0
            streamURL = url
        }
        concurrency = min(concurrency, requests)
        guard !url.isEmpty else { return nil }
    }

    public static func ofThisProcess() -> PeerOptions {
        guard let options = PeerOptions(CommandLine.arguments.dropFirst()) else {
            fatalError("usage: as of curl-limit, and --from loop|thread|async, --loops N, --layer NAME...")
        }
        return options
    }
}
