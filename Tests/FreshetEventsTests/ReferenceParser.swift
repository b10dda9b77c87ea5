import FreshetEvents

/// The standard's words in the plainest code: everything at once, in characters. Source: the WHATWG HTML standard,
/// section 9.2.6.
enum ReferenceParser {
    static func events(in bytes: [UInt8]) -> [ServerSentEvent] {
        var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var events: [ServerSentEvent] = []
        var (data, type, id) = ("", "", "")
        for line in lines(of: text) {
            guard let colon = line.firstIndex(of: ":") else {
                if line.isEmpty {
                    if !data.isEmpty {
                        data.unicodeScalars.removeLast()
                        events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id))
                    }
                    (data, type) = ("", "")
                } else {
                    process(line, [], &data, &type, &id)
                }
                continue
            }
            if colon == 0 { continue }
            var value = Array(line[(colon + 1)...])
            if value.first == " " { value.removeFirst() }
            process(Array(line[..<colon]), value, &data, &type, &id)
        }
        return events
    }

    /// The complete ones.
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

    private static func process(
        _ field: [Unicode.Scalar], _ value: [Unicode.Scalar], _ data: inout String, _ type: inout String,
        _ id: inout String
    ) {
        let text = String(String.UnicodeScalarView(value))
        switch String(String.UnicodeScalarView(field)) {
        case "event": type = text
        case "data": data += text + "\n"
        case "id": if !value.contains("\0") { id = text }
        default: break
        }
    }
}
