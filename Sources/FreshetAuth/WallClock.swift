#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The clock that expiry is measured by: seconds since 1970. A value, so that tests set the time.
public struct WallClock: Sendable {
    private let read: @Sendable () -> Double

    @preconcurrency
    public init(_ read: @escaping @Sendable () -> Double) {
        self.read = read
    }

    /// Seconds since 1970.
    public var now: Double { read() }

    /// The machine's own.
    public static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
