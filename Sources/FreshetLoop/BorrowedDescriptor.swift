import CFreshetUV
import FreshetCore
import Glibc

/// Uses a descriptor that the caller owns. Calls on the descriptor never block, and its mode is unchanged afterwards.
///
/// Whether calls block is a property of the open file, and other processes share that file: the shell on the same
/// terminal, or a program on the same pipe. Therefore a pipe or a terminal is opened a second time, for this object
/// alone, and each call on a socket has a flag that prevents blocking. Where neither is possible, the mode is changed
/// and restored at the end.
final class BorrowedDescriptor: Sendable {
    enum Direction {
        case reading, writing
    }

    /// The descriptor that this object has opened and closes.
    let number: Int32
    let isPipe: Bool
    private let isSocket: Bool
    /// The original mode of an open file that is shared with other owners; `nil` if the file was opened for this object alone.
    private let sharedFlags: Int32?

    init(_ borrowed: Int32, for direction: Direction) throws {
        let flags = fcntl(borrowed, F_GETFL)
        guard flags >= 0 else { throw LoopError(code: -errno) }
        let access = direction == .reading ? O_RDONLY : O_WRONLY
        guard [access, O_RDWR].contains(flags & O_ACCMODE) else { throw LoopError(code: UV_EBADF.rawValue) }
        var status = stat()
        guard fstat(borrowed, &status) == 0 else { throw LoopError(code: -errno) }
        let kind = status.st_mode & S_IFMT
        isPipe = kind == S_IFIFO
        isSocket = kind == S_IFSOCK
        var number: Int32 = -1
        if isPipe || freshet_is_terminal(borrowed) != 0 {
            number = open("/proc/self/fd/\(borrowed)", access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        sharedFlags = number < 0 ? flags : nil
        if number < 0 { number = fcntl(borrowed, F_DUPFD_CLOEXEC, 3) }
        guard number >= 0 else { throw LoopError(code: -errno) }
        self.number = number
        Resources.increment()
    }

    deinit {
        restoreMode()
        close(number)
        Resources.decrement()
    }

    /// Creates a poll of the descriptor. Returns `nil` for a file or a device that is always ready. Calls on such a
    /// descriptor belong off the loop.
    func poll(on loop: Loop, _ handler: @escaping (LoopPoll.Events) -> Void) throws -> LoopPoll? {
        do {
            // libuv sets the descriptor to non-blocking mode here.
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

    /// Reads the next bytes. Returns an empty array at the end, and `nil` if no bytes have arrived yet.
    func read(upTo count: Int) throws -> [UInt8]? {
        var result = 0
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat {
                result =
                    isSocket
                    ? freshet_receive(number, buffer.baseAddress, count) : Glibc.read(number, buffer.baseAddress, count)
                failure = errno
            } while result < 0 && failure == EINTR
            filled = max(0, result)
        }
        if result < 0 {
            if failure == EAGAIN || failure == EWOULDBLOCK { return nil }
            throw LoopError(code: -failure)
        }
        // Copied, so that a short line from a terminal does not occupy the memory of a whole chunk.
        return result < count / 4 ? bytes.withUnsafeBufferPointer { Array($0) } : bytes
    }

    /// Writes as many bytes as possible without blocking.
    ///
    /// - Returns: the number of bytes that were written.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        while true {
            let result =
                isSocket
                ? freshet_send(number, bytes.baseAddress, bytes.count)
                : Glibc.write(number, bytes.baseAddress, bytes.count)
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            case let failure: throw LoopError(code: -failure)
            }
        }
    }
}
