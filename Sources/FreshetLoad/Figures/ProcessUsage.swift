import Foundation

/// The resources that this process has used so far.
struct ProcessUsage {
    /// The CPU time of all threads in seconds, in user mode and in the kernel.
    let cpu: Double

    init() {
        let usage = Self.usage()
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The largest resident set so far, in kB.
    static var peakResident: Int { kilobytes("VmHWM:") }
    /// The resident set now, in kB.
    static var resident: Int { kilobytes("VmRSS:") }

    /// A figure of the system; the largest resident set by `getrusage` if no descriptor is left to read the figure with. That one
    /// can be the largest of the program that has started this one.
    private static func kilobytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? usage().ru_maxrss
    }

    private static func usage() -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }
}
