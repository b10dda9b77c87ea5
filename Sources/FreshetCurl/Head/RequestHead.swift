import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// The head of a request as one text, which libcurl sends as the request's target.
///
/// libcurl prints each header line byte by byte, at ninety instructions per byte, and some lines twice. It copies a target
/// as it is. So the target contains the rest of the request line and all header lines.
///
/// libcurl appends ` HTTP/1.1` to every target. So the last line is `User-Agent`, where the appended text counts as one more
/// product. A request with its own `User-Agent` has its lines in libcurl's list.
///
/// The text contains no line end but those that this type writes: ``RequestURL`` encodes line ends, and the fields were
/// checked before.
struct RequestHead: ~Copyable {
    /// What a request has itself. Of `Host`, `Accept` and `Accept-Encoding`, the head adds the lines that are missing. With a
    /// `Range`, it asks for no compression.
    struct Given: OptionSet {
        let rawValue: UInt8

        static let host = Given(rawValue: 1)
        static let accept = Given(rawValue: 2)
        static let codings = Given(rawValue: 4)
        static let range = Given(rawValue: 8)

        /// Whether libcurl decodes the body.
        var decodes: Bool { isDisjoint(with: [.codings, .range]) }
    }

    private enum Place {
        case here, withLibcurl, nowhere, unknown
        case instead(Given)
    }

    /// The longest head that is sent, in bytes. libcurl puts a head, its own lines and a body of up to 64 KiB into a buffer of
    /// 1 MiB, and reports a lack of memory if it is too small.
    static let limit = 960_000
    /// The longest value of a field, in bytes. Later versions of libcurl drop a field of more than 300 KiB.
    static let longestValue = 300_000

    private var text = HeaderText()

    /// The header lines that libcurl adds itself. An entry without a value stops libcurl from adding the line.
    static let replacedNames = ["Host:", "Accept:", "Accept-Encoding:"]

    private static let codingsLine = CurlEasy.codings.map { "Accept-Encoding: \($0)" }
    /// The line of a request with a `Range`: a part of a compressed body can't be decoded, and without the line the server
    /// may choose a coding. Source: the Fetch standard's HTTP-network-or-cache fetch, and RFC 9110 section 12.5.3.
    private static let noCodingLine = "Accept-Encoding: identity"
    private static let acceptLine = "Accept: */*"
    static let userAgentLine = "User-Agent: \(HTTPClient.userAgent)"

    /// The lines for a request without `Accept` and `Accept-Encoding`, in the order in which they are written.
    static var acceptLines: [String] { (codingsLine.map { [$0] } ?? []) + [acceptLine] }

    /// Writes the head. If libcurl sends a body, the fields that libcurl needs for it are left out; see
    /// ``isAboutBody(_:)``.
    ///
    /// - Returns: what the request has itself; `nil` if its head can't be sent in this way.
    mutating func write(
        _ fields: HTTPFields, target: String, to url: CurlURL, hasBody: Bool
    ) -> Given? {
        var (given, known): (Given, Given) = ([], [])
        repeat {
            known = given
            text.removeAll()
            text.append(target)
            text.append(line: " HTTP/1.1")
            if !known.contains(.host) { text.append(line: url.hostLine) }
            if !known.contains(.codings), let line = Self.acceptEncoding(hasRange: known.contains(.range)) {
                text.append(line: line)
            }
            if !known.contains(.accept) { text.append(line: Self.acceptLine) }
            for field in fields {
                switch Self.place(of: field.name) {
                case .here: break
                case .withLibcurl: if hasBody { continue }
                case .nowhere: continue
                case .unknown: return nil
                case .instead(let one):
                    given.insert(one)
                    if field.isLeftOut { continue }
                }
                text.append(field, bare: UInt8(ascii: ":"))
                text.endLine()
            }
        } while given != known
        text.append(Self.userAgentLine)
        text.append(0)
        return given
    }

    /// The line of a request without its own; `nil` if libcurl decodes no coding.
    static func acceptEncoding(hasRange: Bool) -> String? { hasRange ? noCodingLine : codingsLine }

    /// The text that was written last; it is valid until the next write.
    var start: UnsafePointer<CChar> { UnsafePointer(text.start) }

    mutating func free() { text.free() }

    /// Whether libcurl looks for a field of this name when it sends a body.
    static func isAboutBody(_ name: HTTPField.Name) -> Bool {
        if case .withLibcurl = place(of: name) { true } else { false }
    }

    /// Where a field of this name is written. The length is compared first, because names of different length are not the
    /// same.
    private static func place(of name: HTTPField.Name) -> Place {
        let name = name.canonicalName
        switch name.utf8.count {
        case 4: return name == "host" ? .instead(.host) : .here
        case 5: return name == "range" ? .instead(.range) : .here
        case 6: return name == "accept" ? .instead(.accept) : name == "expect" ? .withLibcurl : .here
        case 10: return name == "user-agent" ? .unknown : .here
        case 12: return name == "content-type" ? .withLibcurl : .here
        case 14: return name == "content-length" ? .nowhere : .here
        case 15: return name == "accept-encoding" ? .instead(.codings) : .here
        default: return .here
        }
    }
}
