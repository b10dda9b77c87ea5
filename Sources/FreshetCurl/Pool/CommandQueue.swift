import FreshetHTTP

/// What is to be done on the loop, once libcurl does not run.
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

/// The commands that wait for libcurl to return: none of its functions may be called from its callbacks.
struct CommandQueue {
    private var commands: [Command?] = []
    private var position = 0
    /// Above zero, libcurl must not be called: one of its callbacks is running, or the ends are being sorted out, or a command
    /// is carried out.
    private var depth = 0

    mutating func append(_ command: Command) { commands.append(command) }

    /// libcurl is called.
    mutating func hold() { depth += 1 }

    /// libcurl has returned.
    mutating func release() { depth -= 1 }

    /// - Returns: whether commands may be carried out; then ``next()`` is called until there are no more.
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
