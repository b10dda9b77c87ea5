import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// The head of a request as one text, which libcurl takes for the request's target.
///
/// libcurl prints each header line a byte at a time, at ninety instructions a byte, and some of them twice; a target it copies
/// as it is. So the target brings along what comes behind it: the rest of its line, and the header lines. What libcurl puts
/// behind every target, ` HTTP/1.1`, then ends the last of them, which is therefore the one that may end so: in `User-Agent`
/// it is one more product. A request that names its own sender has its lines in libcurl's list.
///
/// Nothing in it ends a line but what is put here: ``RequestURL`` encodes what could, and fields were checked before.
struct RequestHead: ~Copyable {
    /// What the fields of a request say that is else said for it.
    struct Given: OptionSet {
        let rawValue: UInt8

        static let host = Given(rawValue: 1)
        static let accept = Given(rawValue: 2)
        static let codings = Given(rawValue: 4)
    }

    private enum Place {
        case here, withLibcurl, nowhere, unknown
        case instead(Given)
    }

    private var text = HeaderText()

    /// What libcurl would say itself: an entry without a value has it say nothing.
    static let replacedNames = ["Host:", "Accept:", "Accept-Encoding:"]

    private static let codings = CurlEasy.codings.map { "Accept-Encoding: \($0)" }
    private static let accept = "Accept: */*"
    private static let sender = "User-Agent: \(HTTPClient.userAgent)"

    /// What a request accepts that does not say so itself, in the order in which it is written.
    static var acceptLines: [String] { (codings.map { [$0] } ?? []) + [accept] }

    /// Puts the head together; where libcurl sends a body, without what it has to know of that: ``isAboutBody(_:)``.
    ///
    /// - Returns: what the request says itself; `nil` if its head can't be given in this way.
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
            if !known.contains(.codings), let codings = Self.codings { text.append(line: codings) }
            if !known.contains(.accept) { text.append(line: Self.accept) }
            for field in fields {
                switch Self.place(of: field.name) {
                case .here: break
                case .withLibcurl: if hasBody { continue }
                case .nowhere: continue
                case .unknown: return nil
                case .instead(let one): given.insert(one)
                }
                text.append(field, bare: UInt8(ascii: ":"))
                text.endLine()
            }
        } while given != known
        text.append(Self.sender)
        text.append(0)
        return given
    }

    /// As it was written last; it lasts until the next time.
    var start: UnsafePointer<CChar> { UnsafePointer(text.start) }

    mutating func free() { text.free() }

    /// Whether libcurl looks for a field of this name when a body is sent.
    static func isAboutBody(_ name: HTTPField.Name) -> Bool {
        if case .withLibcurl = place(of: name) { true } else { false }
    }

    /// Names of different length are not the same, which is seen soonest.
    private static func place(of name: HTTPField.Name) -> Place {
        let name = name.canonicalName
        switch name.utf8.count {
        case 4: return name == "host" ? .instead(.host) : .here
        case 6: return name == "accept" ? .instead(.accept) : name == "expect" ? .withLibcurl : .here
        case 10: return name == "user-agent" ? .unknown : .here
        case 12: return name == "content-type" ? .withLibcurl : .here
        case 14: return name == "content-length" ? .nowhere : .here
        case 15: return name == "accept-encoding" ? .instead(.codings) : .here
        default: return .here
        }
    }
}
