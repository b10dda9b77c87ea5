import Glibc

/// A shortage of descriptors: this process can open one more until ``end()``.
final class DescriptorShortage {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private var limit = rlimit()
    private var fillers: [Int32] = []

    init() {
        getrlimit(Self.resource, &limit)
        var low = limit
        low.rlim_cur = 200
        setrlimit(Self.resource, &low)
        while case let fd = dup(STDERR_FILENO), fd >= 0 { fillers.append(fd) }
        if let last = fillers.popLast() { close(last) }
    }

    deinit { end() }

    func end() {
        fillers.forEach { close($0) }
        fillers = []
        setrlimit(Self.resource, &limit)
    }
}
