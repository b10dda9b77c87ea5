import FreshetHTTP

/// A command that the loop carries out while no function of libcurl runs.
enum Command {
    case start(CurlTransfer)
    case prepared(CurlTransfer, Result<Request, any Error>)
    case resolved(CachedHost, Result<[String], any Error>, Int)
    case cancel(CurlTransfer)
    case resume(CurlTransfer)
    case sendOn(CurlTransfer)
    case deferred(CurlTransfer, TransferStateMachine.Deferred)
    case beginNext
    case shutdown
}

/// The commands that wait until libcurl returns, because libcurl's callbacks must not call its functions.
struct CommandQueue {
    private var commands: [Command?] = []
    private var position = 0
    /// The number of commands of the current round.
    private var count = 0
    /// Commands run only at 0. The depth is higher while libcurl runs, while ended transfers are processed, and while a
    /// command is carried out.
    private var depth = 0
    /// Whether the loop will continue with the commands in its next turn.
    var isContinued = false

    mutating func append(_ command: Command) { commands.append(command) }

    /// libcurl begins to run.
    mutating func hold() { depth += 1 }

    /// libcurl has returned.
    mutating func release() { depth -= 1 }

    /// Begins a round with the commands that wait now.
    ///
    /// - Returns: whether commands may be carried out. The caller then calls ``next()`` until it returns `nil`.
    mutating func begin() -> Bool {
        guard mayBegin else { return false }
        (depth, count) = (1, commands.count)
        return true
    }

    var mayBegin: Bool { depth == 0 && !commands.isEmpty }

    mutating func next() -> Command? {
        guard position < count else {
            if count == commands.count {
                commands.removeAll(keepingCapacity: count < 1024)
            } else {
                commands.removeFirst(count)
            }
            (position, depth) = (0, 0)
            return nil
        }
        defer { position += 1 }
        return commands[position].take()
    }

    /// Removes all commands. The caller releases them, which can submit other commands.
    mutating func removeAll() -> [Command?] {
        defer { commands = [] }
        return commands
    }
}
