import Glibc

extension RequestURL {
    /// The largest number of bytes of a host, without a dot at its end. Source: RFC 1035 section 2.3.4.
    static let longestHost = 253

    static func refusal(_ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion = "check the URL")
        -> HTTPClientError
    {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: recoverySuggestion, isUnsent: true
        )
    }

    static func hostAndPort(_ authority: Substring) throws -> (host: String, port: Int?) {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw refusal("the URL holds a user or a password", .sendBasic)
        }
        let hostEnd: Substring.Index
        let host: String
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else {
                throw refusal("the URL's IPv6 address has no closing bracket")
            }
            hostEnd = authority.index(after: bracket)
            host = try addressInBrackets(authority[..<hostEnd].dropFirst().dropLast())
        } else {
            // Searched by bytes: a mark that combines with the colon hides it from a comparison of characters.
            hostEnd = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            host = HostName.normalized(String(authority[..<hostEnd]))
            guard !host.isEmpty, host.unicodeScalars.allSatisfy({ isHostCharacter($0) }) else {
                throw refusal("the URL has no valid host name")
            }
            guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw refusal("the URL's host name has no ASCII form", "write it in its ASCII form (xn--…)")
            }
        }
        guard host.utf8.count <= longestHost + (host.hasSuffix(".") ? 1 : 0) else {
            throw refusal("the URL's host has more than \(longestHost) bytes")
        }
        let portText = authority[hostEnd...]
        guard !portText.isEmpty, portText != ":" else { return (host, nil) }
        guard portText.hasPrefix(":"), let port = Int(digits: portText.dropFirst()), (1...65535).contains(port) else {
            throw refusal("the URL's port is not a number from 1 to 65535")
        }
        return (host, port)
    }

    /// The shortest form of an IPv6 address. Source: RFC 5952 for the form, RFC 6874 for the zone.
    static func addressInBrackets(_ text: Substring) throws -> String {
        let parts = text.split(separator: "%25", maxSplits: 1, omittingEmptySubsequences: false)
        var address = in6_addr()
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        // C's functions would ignore what comes after a NUL.
        guard parts[0].utf8.allSatisfy({ "0123456789ABCDEFabcdef:.".utf8.contains($0) }),
            inet_pton(AF_INET6, String(parts[0]), &address) == 1,
            inet_ntop(AF_INET6, &address, &characters, socklen_t(INET6_ADDRSTRLEN)) != nil
        else { throw refusal("the URL's IPv6 address is malformed") }
        let shortest = String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard parts.count == 2 else { return "[\(shortest)]" }
        let zone = parts[1]
        guard !zone.isEmpty,
            zone.utf8.allSatisfy({ isLetter($0) || (48...57).contains($0) || "-._~".utf8.contains($0) })
        else { throw refusal("the URL's IPv6 address has an invalid zone", "write it as %25 and the interface's name") }
        return "[\(shortest)%25\(zone)]"
    }

    static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value > 0x7F { return true }
        return scalar.value > 0x20 && scalar.value != 0x7F && !"<>\"{}[]|\\^`#/?@%".unicodeScalars.contains(scalar)
    }

    /// Searches by bytes, because a mark that combines with the number sign hides it from a comparison of characters.
    static func withoutFragment(_ text: Substring) -> Substring {
        text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
    }

    /// Path and query as they are sent: everything beyond printable ASCII is percent-encoded.
    static func encoded(_ text: Substring, inserting root: String = "/") throws -> String {
        var result: [UInt8] = text.utf8.first == UInt8(ascii: "/") ? [] : Array(root.utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x00...0x20, 0x7F:
                throw refusal("the URL holds white space or a control character", "percent-encode it")
            case 0x80..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                PercentEncoding.append(byte, to: &result)
            default:
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func hasScheme(_ reference: String) -> Bool {
        guard let first = reference.utf8.first, isLetter(first),
            let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        return reference.utf8[..<colon].allSatisfy {
            isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte & 0xDF)
    }

    /// Removes the dot segments of the path; the query stays as it is. Source: RFC 3986 section 5.2.4.
    static func removingDots(_ target: String) -> String {
        let query = target.firstIndex(of: "?") ?? target.endIndex
        var segments: [Substring] = []
        let path = target[..<query].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in path.enumerated() {
            let isLast = index == path.count - 1
            switch segment {
            case ".":
                if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default:
                segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/") + target[query...]
    }
}
