import Glibc

/// The limit of open descriptors of the process.
public enum OpenFiles {
    /// Raises the soft limit to the hard limit. A program with many connections calls it when it starts. A program that
    /// uses `select` with descriptors must not call it.
    ///
    /// - Returns: the limit after the call; 0 if the system does not report it.
    @discardableResult
    public static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = raised.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}

extension OpenFiles {
    /// Makes the kernel's table of descriptors grow now to the size that a busy process needs, instead of while a loop
    /// is running. In a process with threads, the kernel waits for all processors each time the table grows. That takes
    /// some ten milliseconds, for which the loop stops.
    ///
    /// - Parameter fd: any open descriptor.
    static func makeRoom(like fd: Int32) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let last = fcntl(fd, F_DUPFD_CLOEXEC, Int32(min(1024, limit.rlim_cur)) - 1)
        if last >= 0 { close(last) }
    }

    /// Whether the process or the machine has no free descriptor at this moment.
    package static var areExhausted: Bool {
        let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if fd < 0 { return LoopError(code: -errno).isOutOfDescriptors }
        close(fd)
        return false
    }
}
