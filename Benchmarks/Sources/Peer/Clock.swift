import Glibc

public enum Clock {
    /// Since some moment of the past.
    public static var nanoseconds: UInt64 { read(CLOCK_MONOTONIC) }

    /// Of this process on the processor, the system's part included.
    public static var processorSeconds: Double { Double(read(CLOCK_PROCESS_CPUTIME_ID)) / 1e9 }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

public enum Memory {
    /// Resident now.
    public static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            fgets(buffer.baseAddress, 256, file).map { String(cString: $0) } ?? ""
        }
        let pages = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    public static var peakKilobytes: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }
}
