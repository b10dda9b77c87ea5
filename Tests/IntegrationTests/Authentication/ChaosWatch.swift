import Foundation
import FreshetCore

/// Collects the output of all programs, and finds secrets in it.
final class ChaosOutput: Sendable {
    private let texts = Locked<[Data]>([])

    func add(_ text: Data) {
        texts.withLock { $0.append(text) }
    }

    func add(_ text: String) { add(Data(text.utf8)) }

    var size: Int { texts.withLock { $0.reduce(0) { $0 + $1.count } } }

    /// The number of times that eight consecutive bytes of any of `secrets` occur in the output.
    func leaks(of secrets: [String]) -> Int {
        var parts: Set<UInt64> = []
        for secret in secrets { Self.windows(of: Array(secret.utf8)) { parts.insert($0) } }
        return texts.withLock { texts in
            var found = 0
            for text in texts { Self.windows(of: Array(text)) { if parts.contains($0) { found += 1 } } }
            return found
        }
    }

    private static func windows(of bytes: [UInt8], _ body: (UInt64) -> Void) {
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            if index >= 7 { body(window) }
        }
    }
}

/// The resources that a process holds at this moment.
struct ChaosResources {
    var descriptors = 0
    var residentKilobytes = 0

    init(of process: Int32) {
        let directory = "/proc/\(process)"
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/fd").count) ?? 0
        let status = (try? String(contentsOfFile: directory + "/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        residentKilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    init() {}

    mutating func raise(to other: ChaosResources) {
        descriptors = max(descriptors, other.descriptors)
        residentKilobytes = max(residentKilobytes, other.residentKilobytes)
    }
}
