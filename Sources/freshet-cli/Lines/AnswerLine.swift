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

    /// The line, with its end.
    func encoded(after start: [UInt8] = []) -> [UInt8] {
        var writer = JSONWriter(after: start, reserving: 320 + (body?.count ?? 0) * 9 / 8)
        writer.object { line in
            line.member("id") { $0.raw(id) }
            line.member("status") { if let head { $0.number(head.status.code) } else { $0.null() } }
            line.member("headers") { encode(head?.headerFields ?? [:], into: &$0) }
            encodeBody(into: &line)
            line.member("attempts") { $0.number(attempts) }
            line.member("refreshes") { $0.number(refreshes) }
            line.member("duration_ms") { $0.thousandths(duration.wholeMicroseconds) }
            line.member("error") { encodeError(into: &$0) }
        }
        return writer.line()
    }

    private func encodeBody(into line: inout JSONWriter) {
        guard let body else { return line.member("body") { $0.null() } }
        if JSONText.isUTF8(body) {
            line.member("body") { value in body.withUnsafeBufferPointer { value.string($0) } }
        } else {
            line.member("body_base64") { $0.string(Data(body).base64EncodedString()) }
        }
    }

    /// Names in lower case, in the order of their first appearance. There are few, so that to look through them is less than
    /// to keep a set.
    private func encode(_ fields: HTTPFields, into writer: inout JSONWriter) {
        writer.object { object in
            let names = fields.map(\.name.canonicalName)
            for (index, field) in fields.enumerated() {
                let name = names[index]
                if names[..<index].contains(name) { continue }
                let isRepeated = names[(index + 1)...].contains(name)
                object.member(name) { value in
                    if name == "set-cookie" {
                        value.array { list in fields[values: field.name].forEach { list.string($0) } }
                    } else {
                        value.string(
                            isRepeated ? fields[values: field.name].joined(separator: ", ") : field.value)
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
}

extension Duration {
    fileprivate var wholeMicroseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}

extension HTTPClientError {
    /// The description without its code.
    fileprivate var explanation: String {
        String(description.dropFirst(code.rawValue.count + 2))
    }
}
