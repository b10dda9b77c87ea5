/// A stream of events, cut into pieces as they come from a socket.
struct Sample {
    let name: String
    let pieces: [[UInt8]]
    let events: Int

    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    init(_ name: String, bytes: Int = 4 << 20, piece: Int = 16 << 10, event: (Int) -> String) {
        self.name = name
        var stream: [UInt8] = []
        stream.reserveCapacity(bytes + 4096)
        var events = 0
        while stream.count < bytes {
            stream += event(events).utf8
            events += 1
        }
        self.events = events
        pieces = Self.cut(stream, into: piece)
    }

    /// One event of about so many bytes.
    init(single bytes: Int, line: Int? = nil, piece: Int = 16 << 10) {
        let text = [UInt8](repeating: 120, count: line ?? bytes)
        var stream: [UInt8] = []
        stream.reserveCapacity(bytes + bytes / 64 + 4096)
        for _ in 0..<(bytes / text.count) {
            stream += "data: ".utf8
            stream += text
            stream.append(10)
        }
        stream.append(10)
        name = "\(bytes >> 20) MiB"
        events = 1
        pieces = Self.cut(stream, into: piece)
    }

    private static func cut(_ stream: [UInt8], into size: Int) -> [[UInt8]] {
        stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min(stream.count, $0 + size)]) }
    }

    static let small = [
        Sample("data alone, 1-7 B") { "data: \($0)\n\n" },
        Sample("ID and data, 13 B") { "id: \($0)\ndata: {\"n\":\(1_000_000 + $0)}\n\n" },
        Sample("the same, CRLF") { "id: \($0)\r\ndata: {\"n\":\(1_000_000 + $0)}\r\n\r\n" },
        Sample("data, 40 B") { "data: {\"n\":\(1_000_000 + $0),\"text\":\"twenty and some\"}\n\n" },
        Sample("three lines of data") { "data: a\ndata: \($0)\ndata: c\n\n" },
        Sample("a chat's piece, 230 B") { index in
            """
            data: {"id":"chat-8a7f2b","object":"chat.completion.chunk","created":1763800000,"model":"some-model-large",\
            "system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" word\(index)"},\
            "logprobs":null,"finish_reason":null}]}\n\n
            """
        },
        Sample("a named piece, 110 B") { index in
            """
            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word\(index)"}}\n\n
            """
        },
        Sample("data, 1 KiB") { "data: \($0)" + String(repeating: "x", count: 1024) + "\n\n" },
    ]
}
