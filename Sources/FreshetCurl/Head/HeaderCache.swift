import CFreshetCurl
import HTTPTypes

/// Caches the latest head of an origin's responses, and the names of its fields. Most responses have the same fields, and
/// many have the same head byte for byte within a second. The parser compares a head with the latest one before it parses
/// it.
///
/// It is used on one loop, and holds one head of at most ``largest`` bytes and 64 names.
final class HeaderCache {
    /// A parsed head, and the bytes that it was parsed from.
    final class Head {
        let bytes: [UInt8]
        let head: HTTPResponse
        let info: ResponseHeadParser.Info

        init(_ bytes: [UInt8], _ head: HTTPResponse, _ info: ResponseHeadParser.Info) {
            (self.bytes, self.head, self.info) = (bytes, head, info)
        }

        /// Whether `line` is a whole line of the head that begins at `start`.
        func has(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
            guard line.last == 10, let address = line.baseAddress, start + line.count <= bytes.count else {
                return false
            }
            return bytes.withUnsafeBytes { memcmp($0.baseAddress! + start, address, line.count) == 0 }
        }
    }

    private struct CachedFieldName {
        let bytes: [UInt8]
        let name: HTTPField.Name
    }

    static let largest = 2048

    var latest: Head?
    private var names = [CachedFieldName?](repeating: nil, count: 64)

    /// The field name with this spelling; `nil` if the bytes are not a field name.
    func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
        guard let first = bytes.first, let last = bytes.last else { return nil }
        let place = (bytes.count &* 7 &+ Int(first) &* 3 &+ Int(last)) & 63
        if let known = names[place], known.bytes.count == bytes.count,
            known.bytes.withUnsafeBytes({ memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0 })
        {
            return known.name
        }
        guard let name = HTTPField.Name(String(decoding: bytes, as: UTF8.self)) else { return nil }
        if bytes.count <= 64 { names[place] = CachedFieldName(bytes: [UInt8](bytes), name: name) }
        return name
    }
}
