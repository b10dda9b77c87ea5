import Foundation
import Freshet

/// A line of `run`'s output: what became of one request.
struct AnswerLine: Sendable {
    /// The JSON text of the line's `id`.
    var id: [UInt8]
    /// The head of the answer, if one came, and its body, if all of it did.
    var head: HTTPResponse?
    var body: [UInt8]?
    var attempts = 0
    var refreshes = 0
    var duration = Duration.zero
    var error: HTTPClientError?

    /// About how many bytes it holds.
    var cost: Int { 512 + (body?.count ?? 0) }

    /// The line, with its end.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { line in
            line.member("id") { $0.raw(id) }
            line.member("status") { if let head { $0.number(head.status.code) } else { $0.null() } }
            line.member("headers") { encode(head?.headerFields ?? [:], into: &$0) }
            encodeBody(into: &line)
            line.member("attempts") { $0.number(attempts) }
            line.member("refreshes") { $0.number(refreshes) }
            line.member("duration_ms") { $0.raw(Self.milliseconds(duration).utf8) }
            line.member("error") { encodeError(into: &$0) }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func encodeBody(into line: inout JSONWriter) {
        guard let body else { return line.member("body") { $0.null() } }
        if String(validating: body, as: UTF8.self) != nil {
            line.member("body") { $0.string(body) }
        } else {
            line.member("body_base64") { $0.string(Data(body).base64EncodedString()) }
        }
    }

    /// Names in lower case, in the order of their first appearance.
    private func encode(_ fields: HTTPFields, into writer: inout JSONWriter) {
        writer.object { object in
            var seen: Set<HTTPField.Name> = []
            for field in fields where seen.insert(field.name).inserted {
                let values = fields[values: field.name]
                object.member(field.name.canonicalName) { value in
                    if field.name == .setCookie {
                        value.array { list in values.forEach { list.string($0) } }
                    } else {
                        value.string(values.joined(separator: ", "))
                    }
                }
            }
        }
    }

    private func encodeError(into writer: inout JSONWriter) {
        guard let error else { return writer.null() }
        writer.object { object in
            object.member("code") { $0.string(error.code.rawValue) }
            object.member("message") { $0.string(error.explanation) }
        }
    }

    /// Milliseconds to the microsecond, without trailing zeros.
    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        let decimals = String(microseconds % 1000 + 1000).dropFirst()
        return "\(microseconds / 1000).\(decimals[...(decimals.lastIndex { $0 != "0" } ?? decimals.startIndex)])"
    }
}

extension HTTPClientError {
    /// The description without its code.
    fileprivate var explanation: String {
        String(description.dropFirst(code.rawValue.count + 2))
    }
}
