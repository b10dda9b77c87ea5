import FreshetEvents

extension EventStreamCase {
    /// Cases with sizes near those of buffers, where parsers that read by buffers fail.
    public static let sizes: [EventStreamCase] = [
        1, 15, 16, 17, 31, 32, 33, 128, 512, 1023, 1024, 1025, 4089, 4090, 4091, 4096, 8184, 8192, 16_376, 16_384,
        65_528,
        65_536, 262_144, 1_048_576,
    ].map { size in
        let data = String(repeating: "x", count: size)
        return .init("\(size) bytes of data", "data: \(data)\n\ndata: b\n\n", data: data, "b")
    }
}
