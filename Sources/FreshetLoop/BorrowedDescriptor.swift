import CFreshetUV
import FreshetCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A descriptor of somebody else's, used without ever waiting in a call, and left as it was found.
///
/// Whether calls wait is a property of the open file, which other processes have too: the shell that shares the terminal,
/// the program at the same pipe. Therefore a pipe or a terminal is opened once more, for us alone, and calls on a socket
/// say themselves that they don't wait. Where neither can be, the mode is put back at the end.
final class BorrowedDescriptor: Sendable {
    enum Direction {
        case reading, writing
    }

    /// Ours, closed with this object.
    let number: Int32
    let isPipe: Bool
    private let isSocket: Bool
    /// The mode of an open file that is not ours alone.
    private let sharedFlags: Int32?

    init(_ lent: Int32, for direction: Direction) throws {
        let flags = fcntl(lent, F_GETFL)
        guard flags >= 0 else { throw LoopError(code: -errno) }
        let access = direction == .reading ? O_RDONLY : O_WRONLY
        guard [access, O_RDWR].contains(flags & O_ACCMODE) else { throw LoopError(code: UV_EBADF.rawValue) }
        var status = stat()
        guard fstat(lent, &status) == 0 else { throw LoopError(code: -errno) }
        let kind = status.st_mode & S_IFMT
        isPipe = kind == S_IFIFO
        isSocket = kind == S_IFSOCK
        var number: Int32 = -1
        if isPipe || freshet_is_terminal(lent) != 0 {
            number = open("/proc/self/fd/\(lent)", access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        sharedFlags = number < 0 ? flags : nil
        if number < 0 { number = fcntl(lent, F_DUPFD_CLOEXEC, 3) }
        guard number >= 0 else { throw LoopError(code: -errno) }
        self.number = number
        Resources.increment()
    }

    deinit {
        restoreMode()
        close(number)
        Resources.decrement()
    }

    /// A watcher of it; `nil` if it is a file or a device that is always ready, the calls on which belong off the loop.
    func poll(on loop: Loop, _ handler: @escaping (LoopPoll.Events) -> Void) throws -> LoopPoll? {
        do {
            // This makes calls on it not wait.
            let poll = try LoopPoll(on: loop, fd: number, handler: handler)
            if isSocket { restoreMode() }
            return poll
        } catch let error as LoopError where error.code == UV_EPERM.rawValue {
            return nil
        }
    }

    private func restoreMode() {
        guard let sharedFlags, sharedFlags & O_NONBLOCK == 0 else { return }
        let now = fcntl(number, F_GETFL)
        if now >= 0, now & O_NONBLOCK != 0 { _ = fcntl(number, F_SETFL, now & ~O_NONBLOCK) }
    }

    /// The next bytes; none at the end, `nil` if there are none yet.
    func read(upTo count: Int) throws -> [UInt8]? {
        var result = 0
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat {
                result =
                    isSocket
                    ? freshet_receive(number, buffer.baseAddress, count) : systemRead(number, buffer.baseAddress, count)
                failure = errno
            } while result < 0 && failure == EINTR
            filled = max(0, result)
        }
        if result < 0 {
            if failure == EAGAIN || failure == EWOULDBLOCK { return nil }
            throw LoopError(code: -failure)
        }
        // A line from a terminal is not to hold the room of a chunk.
        return result < count / 4 ? bytes.withUnsafeBufferPointer { Array($0) } : bytes
    }

    /// Writes what can be written now.
    ///
    /// - Returns: how many bytes that were.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        while true {
            let result =
                isSocket
                ? freshet_send(number, bytes.baseAddress, bytes.count)
                : systemWrite(number, bytes.baseAddress, bytes.count)
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            case let failure: throw LoopError(code: -failure)
            }
        }
    }
}

private func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, bytes, count)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, bytes, count)
}
