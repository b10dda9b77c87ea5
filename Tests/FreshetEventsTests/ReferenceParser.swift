import FreshetEvents

/// A parser that follows the standard in the simplest code, with the whole stream at once, in characters. Source: the WHATWG
/// HTML standard, section 9.2.6.
struct ReferenceParser {
    private(set) var events: [ServerSentEvent] = []
    private(set) var comments: [String] = []
    private(set) var lastEventID = ""
    private(set) var reconnectionTime: Duration?
    private var (data, type, idBuffer) = ("", "", "")

    init(_ bytes: [UInt8]) {
        for line in Self.lines(of: ReferenceDecoder.decode(bytes)) { take(line) }
    }

    private mutating func take(_ line: [Unicode.Scalar]) {
        guard !line.isEmpty else { return dispatch() }
        guard let colon = line.firstIndex(of: ":") else { return process(line, []) }
        var value = Array(line[(colon + 1)...])
        if value.first == " " { value.removeFirst() }
        if colon == 0 {
            comments.append(Self.text(value))
        } else {
            process(Array(line[..<colon]), value)
        }
    }

    private mutating func dispatch() {
        lastEventID = idBuffer
        if !data.isEmpty {
            data.unicodeScalars.removeLast()
            events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastEventID))
        }
        (data, type) = ("", "")
    }

    private mutating func process(_ field: [Unicode.Scalar], _ value: [Unicode.Scalar]) {
        switch Self.text(field) {
        case "event": type = Self.text(value)
        case "data": data += Self.text(value) + "\n"
        case "id": if !value.contains("\0") { idBuffer = Self.text(value) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { ("0"..."9").contains($0) }
            if isNumber, let time = Int(Self.text(value)) { reconnectionTime = .milliseconds(time) }
        default: break
        }
    }

    /// The complete lines of `text`.
    private static func lines(of text: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        for (index, scalar) in text.enumerated() {
            if scalar == "\n", index > 0, text[index - 1] == "\r" { continue }
            if scalar == "\n" || scalar == "\r" {
                lines.append(line)
                line = []
            } else {
                line.append(scalar)
            }
        }
        return lines
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
