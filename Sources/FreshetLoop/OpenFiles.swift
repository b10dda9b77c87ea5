#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process's limit of open descriptors.
public enum OpenFiles {
    /// Raises the soft limit to the hard one. A program that holds many connections calls it at its start; one that
    /// uses `select` with descriptors must not.
    ///
    /// - Returns: the limit as it is now.
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

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

extension OpenFiles {
    /// Has the kernel's table of descriptors grow now to what a busy process needs, rather than below a loop at work: where
    /// there are threads, the kernel waits for all processors each time, some ten milliseconds, and the loop with it.
    ///
    /// - Parameter fd: any that is open.
    static func makeRoom(like fd: Int32) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let last = fcntl(fd, F_DUPFD_CLOEXEC, Int32(min(1024, limit.rlim_cur)) - 1)
        if last >= 0 { close(last) }
    }

    /// Whether there is no descriptor to be had at this moment, in the process or on the machine.
    package static var areExhausted: Bool {
        let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if fd < 0 { return errno == EMFILE || errno == ENFILE }
        close(fd)
        return false
    }
}
