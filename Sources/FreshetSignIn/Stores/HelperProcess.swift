import CFreshetSystem
import FreshetAuth
import FreshetLoop
import Glibc

/// Runs a helper program without a shell. It writes to the program's standard input and reads its standard output. It blocks.
enum HelperProcess {
    struct Result {
        var status: Int32
        var output: [UInt8]
    }

    private static let longestOutput = 1 << 20

    /// How often a wait looks whether the shutdown of a loop waits for it.
    private static let slice = Duration.milliseconds(20)

    /// How long the shutdown of a loop waits for a program that keeps a record or is ending.
    static let grace = Duration.seconds(5)

    /// Runs the program and returns its status and its output. If a loop is shut down meanwhile and waits for this work, the
    /// program is killed after the grace of `deadline`. Once it has closed its output it has at least ``grace`` to end.
    ///
    /// - Parameter deadline: several programs that run one after the other can share it.
    /// - Throws: `StoreError` if the program cannot be started, does not end or writes too much.
    static func run(
        _ command: String, _ argument: String, input: [UInt8], until deadline: inout Deadline
    ) throws -> Result {
        let (toChild, fromChild) = (try sockets(), try sockets())
        defer { for end in [toChild.ours, fromChild.ours] { close(end) } }
        let child: pid_t
        do {
            defer { for end in [toChild.theirs, fromChild.theirs] { close(end) } }
            child = try spawn(command, argument, reading: toChild.theirs, writing: fromChild.theirs)
        }
        let (output, status): ([UInt8], Int32)
        do throws(Failure) {
            output = try exchange(input, writing: toChild.ours, reading: fromChild.ours, until: &deadline)
            deadline.grace = Self.grace
            status = try self.status(of: child, until: &deadline)
        } catch {
            kill(-child, SIGKILL)
            while waitpid(child, nil, 0) < 0 && errno == EINTR {}
            let what =
                switch error {
                case .isLate: "did not end within \(deadline.timeout)"
                case .isAwaited: "was ended, because this program ends"
                case .wroteTooMuch: "has written more than \(longestOutput >> 20) MiB, which is no record"
                case .system(let number): "can't be read: \(String(cString: strerror(number)))"
                }
            throw StoreError("\(command) \(what)")
        }
        return Result(status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F), output: output)
    }

    /// Why a program is killed.
    fileprivate enum Failure: Error {
        case isLate
        /// The shutdown of a loop waits for it.
        case isAwaited
        case wroteTooMuch
        case system(Int32)
    }

    /// When a program is killed.
    struct Deadline {
        let timeout: Duration
        fileprivate var grace: Duration
        private var end: ContinuousClock.Instant
        /// Since when the shutdown of a loop waits for the program.
        private var awaitedSince: ContinuousClock.Instant?

        /// - Parameters:
        ///   - timeout: the longest wait for the end of the program. A person may have to unlock a keyring first.
        ///   - grace: how long the shutdown of a loop waits for the program.
        init(in timeout: Duration, whenAwaited grace: Duration) {
            self.timeout = timeout
            self.grace = grace
            end = .now.advanced(by: timeout)
        }

        /// Begins the timeout again. The grace continues.
        mutating func restart() { end = .now.advanced(by: timeout) }

        /// - Returns: the milliseconds until `end`, at most a ``slice``.
        fileprivate mutating func timeLeft() throws(Failure) -> Int32 {
            let now = ContinuousClock.now
            if BlockingScheduler.isAwaitedByShutdown {
                let since = awaitedSince ?? now
                awaitedSince = since
                if since.duration(to: now) >= grace { throw .isAwaited }
            }
            let left = now.duration(to: end)
            guard left > .zero else { throw .isLate }
            return Int32(max(1, min(left, slice) / .milliseconds(1)))
        }
    }

    /// Waits for the end of the program, which can close its output before.
    ///
    /// - Returns: its status. If this program ignores the ends of its children, nobody knows the
    ///   status, and what the helper has written has to tell.
    private static func status(of child: pid_t, until deadline: inout Deadline) throws(Failure) -> Int32 {
        var status: Int32 = 0
        while true {
            switch waitpid(child, &status, WNOHANG) {
            case child: return status
            case -1 where errno == ECHILD: return 0
            default: _ = try deadline.timeLeft()
            }
            usleep(2000)
        }
    }

    /// Returns a connected pair of sockets. With a pipe, a helper that exits before it has read would end this program with a
    /// signal.
    static func sockets() throws -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        // A program that another thread starts meanwhile must not inherit the sockets, so they are closed on exec from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw StoreError("no connection to a credential helper: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    private static func spawn(_ command: String, _ argument: String, reading: Int32, writing: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        freshet_spawn_with_default_signals(&attributes)
        var arguments: [UnsafeMutablePointer<CChar>?] = [command, argument].map { (text: String) in strdup(text) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let code = posix_spawnp(&child, command, &actions, &attributes, &arguments, environ)
        guard code == 0 else {
            throw StoreError(
                "\(command) can't be run: \(String(cString: strerror(code))); install it, or use another store")
        }
        return child
    }

    /// Sends `input` and receives the output at the same time, because a helper can write before it has read everything.
    ///
    /// - Returns: the output.
    private static func exchange(
        _ input: [UInt8], writing: Int32, reading: Int32, until deadline: inout Deadline
    ) throws(Failure) -> [UInt8] {
        var unsent = input[...]
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        if unsent.isEmpty { shutdown(writing, Int32(SHUT_WR)) }
        while output.count <= longestOutput {
            var entries = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
            if !unsent.isEmpty { entries.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)) }
            let ready = poll(&entries, nfds_t(entries.count), try deadline.timeLeft())
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            guard ready > 0 else { throw .system(errno) }
            if entries.count > 1, entries[1].revents != 0 {
                unsent = unsent.dropFirst(transmit(unsent, to: writing))
                if unsent.isEmpty { shutdown(writing, Int32(SHUT_WR)) }
            }
            guard entries[0].revents != 0 else { continue }
            let count = recv(reading, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return output }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { throw .system(errno) }
            output += buffer[..<max(0, count)]
        }
        throw .wroteTooMuch
    }

    /// - Returns: how many of the bytes need no further call. If the helper does not read any more, these are all bytes: its
    ///   status and its output give the reason.
    private static func transmit(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EINTR || errno == EAGAIN ? 0 : bytes.count
    }
}
