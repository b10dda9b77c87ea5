import FoundationEssentials

/// The system's wall clock, for those who are given a clock by default. Logic reads the one that it was given.
public enum WallClock {
    @Sendable
    // Not `clock_gettime`: to which module its structure belongs depends on what else is compiled with this file.
    public static func secondsSince1970() -> Double { Date().timeIntervalSince1970 }
}
