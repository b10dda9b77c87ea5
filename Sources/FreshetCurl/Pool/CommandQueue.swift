import FreshetHTTP

/// A command that the loop carries out while no function of libcurl runs.
enum Command {
    case start(CurlTransfer)
    case prepared(CurlTransfer, Result<Request, any Error>)
    case resolved(CachedHost, Result<[String], any Error>, Int)
    case cancel(CurlTransfer)
    case resume(CurlTransfer)
    case sendOn(CurlTransfer)
    case responses(CurlTransfer)
    case hasCome(CurlTransfer)
    case shutdown
}

/// The commands that wait until libcurl returns, because libcurl's callbacks must not call its functions.
struct CommandQueue {
    private var commands: [Command?] = []
    private var position = 0
    /// Commands run only at 0. The depth is higher while libcurl runs, while ended transfers are processed, and while a
    /// command is carried out.
    private var depth = 0

    mutating func append(_ command: Command) { commands.append(command) }

    /// libcurl begins to run.
    mutating func hold() { depth += 1 }

    /// libcurl has returned.
    mutating func release() { depth -= 1 }

    /// - Returns: whether commands may be carried out. The caller then calls ``next()`` until it returns `nil`.
    mutating func begin() -> Bool {
        guard depth == 0, !commands.isEmpty else { return false }
        depth = 1
        return true
    }

    mutating func next() -> Command? {
        guard position < commands.count else {
            commands.removeAll(keepingCapacity: position < 1024)
            (position, depth) = (0, 0)
            return nil
        }
        defer { position += 1 }
        return commands[position].take()
    }
}
