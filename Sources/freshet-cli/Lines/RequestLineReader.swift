import Foundation
import Freshet

/// Reads lines one after the other.
struct RequestLineReader {
    private var latest = LatestAddress()
    private var notedMembers: Set<String> = []

    mutating func read(_ line: InputLine) -> RequestLine {
        var fields = RequestLineFields()
        let request = read(line, into: &fields)
        note(fields.unknown, in: line.number)
        return RequestLine(line.number, id: fields.id, request)
    }

    /// Notes each name once, and no more after the first lines have brought many.
    private mutating func note(_ unknown: [String], in number: Int) {
        let new = unknown.prefix(5).filter { !notedMembers.contains($0) }
        guard !new.isEmpty, notedMembers.count < 20 else { return }
        notedMembers.formUnion(new)
        let names = new.map { String($0.prefix(40)).debugDescription }.joined(separator: ", ")
        Console.report(
            "note: line \(number): \(names) \(new.count == 1 ? "is" : "are") not used; a request has "
                + "url, method, headers, body or body_base64, and id")
    }

    private mutating func read(_ line: InputLine, into fields: inout RequestLineFields) -> Result<
        Request, HTTPClientError
    > {
        guard let bytes = line.bytes else {
            return .failure(
                .refusal("line \(line.number) is too long", "write lines of \(Run.longestLine >> 20) MiB at most"))
        }
        do {
            // Some editors begin a file with a byte order mark.
            let hasMark = line.number == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
            try fields.read(hasMark ? UnsafeBufferPointer(rebasing: bytes[3...]) : bytes)
            return .success(try fields.request { try latest.request(to: $0) })
        } catch let error as JSONError {
            return .failure(
                .refusal(
                    "line \(line.number), column \(error.offset + 1): \(error.message)",
                    "write a JSON object in one line"))
        } catch {
            return .failure(RequestLine.placed(error as? HTTPClientError ?? .refusal("\(error)"), in: line.number))
        }
    }
}

/// Keeps the request to the latest address, because most lines have the same address as the line before. Comparing the text is
/// faster than parsing it, and the client is also faster with an address that it has seen.
private struct LatestAddress {
    private var text: [UInt8] = []
    private var request: Request?

    /// A GET request to `address`.
    mutating func request(to address: LineText) throws -> Request {
        guard case .plain(let bytes) = address else { return Request(url: try RequestURL(address.string)) }
        if let request, text.count == bytes.count,
            text.withUnsafeBytes({ memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0 })
        {
            return request
        }
        let request = Request(url: try RequestURL(address.string))
        text = Array(bytes)
        self.request = request
        return request
    }
}
