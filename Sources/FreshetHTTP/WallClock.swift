import FoundationEssentials

/// The system's wall clock, as the default of parameters that take a clock. Logic reads only the clock that it was given.
public enum WallClock {
    @Sendable
    // Not `clock_gettime`: the module of its structure depends on what else is compiled with this file.
    public static func secondsSince1970() -> Double { Date().timeIntervalSince1970 }
}
