/// Host names in the form in which they are compared and sent: in ASCII, whatever their script. Source: UTS #46, RFC 5891.
package enum HostName {
    /// The canonical form of a name: lower case, with `xn--` and punycode for each label beyond ASCII. Both ways to write a
    /// host become one origin.
    ///
    /// Two kinds of text stay as they are, and ``RequestURL`` refuses them: a name that only the full tables of Unicode could
    /// map, such as one with a ligature, and a text that is not a name.
    package static func normalized(_ host: String) -> String {
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return host.lowercased() }
        return inASCII(host) ?? host.lowercased()
    }

    /// Whether a canonical host is an IP address, which has no hosts below it and no policy of HSTS: its last label has only
    /// digits. Source: RFC 6797 section 8.1.1.
    static func isAddress(_ host: String) -> Bool {
        host.contains(":")
            || host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last
                .map { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } } ?? false
    }

    /// The name as a person writes it, followed by its ASCII form if that differs: `bücher.example (xn--bcher-kva.example)`.
    package static func readable(_ host: String) -> String {
        guard host.utf8.contains(UInt8(ascii: "-")) else { return host }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let written = labels.map { asWritten($0) ?? String($0) }.joined(separator: ".")
        // A written form that does not map back to the host only looks like it.
        return written != host && normalized(written) == host ? "\(written) (\(host))" : host
    }

    private static func asWritten(_ label: Substring) -> String? {
        guard label.hasPrefix("xn--"), let scalars = Punycode.decoded(label.utf8.dropFirst(4)) else { return nil }
        let isPlain = scalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
            default: scalar == "-"
            }
        }
        return isPlain ? String(String.UnicodeScalarView(scalars)) : nil
    }

    private static func inASCII(_ host: String) -> String? {
        // No name is longer than 253 bytes, in either form.
        guard host.utf8.count <= 1024 else { return nil }
        var mapped = String.UnicodeScalarView()
        for scalar in host.unicodeScalars {
            guard map(scalar, to: &mapped) else { return nil }
        }
        let scalars = composed(String(mapped)).unicodeScalars
        let labels = scalars.split(separator: ".", omittingEmptySubsequences: false).map { inASCII(label: Array($0)) }
        guard !labels.contains(nil) else { return nil }
        let name = labels.compactMap { $0 }.joined(separator: ".")
        let isClean = name.unicodeScalars.allSatisfy { RequestURL.isHostCharacter($0) && $0 != ":" }
        return isClean && !name.isEmpty ? name : nil
    }

    private static func inASCII(label: [Unicode.Scalar]) -> String? {
        if label.allSatisfy(\.isASCII) { return String(String.UnicodeScalarView(label)) }
        switch label[0].properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return nil
        default: break
        }
        guard label.count < 60, !label.starts(with: "xn--".unicodeScalars), let encoded = Punycode.encoded(label),
            encoded.utf8.count <= 59
        else { return nil }
        return "xn--" + encoded
    }

    /// - Returns: whether the mapping of the scalar is known.
    private static func map(_ scalar: Unicode.Scalar, to mapped: inout String.UnicodeScalarView) -> Bool {
        switch scalar.value {
        case 0x3002, 0xFF0E, 0xFF61:
            mapped.append(".")
        case 0xFF01...0xFF5E:
            // The full-width forms of ASCII.
            return Unicode.Scalar(scalar.value - 0xFEE0).map { map($0, to: &mapped) } ?? false
        case 0xAD, 0x200B, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
            break
        case 0xDF, 0x3C2, 0x200C, 0x200D:
            // IDNA 2003 mapped these; since then, names can contain them.
            mapped.append(scalar)
        default:
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            guard !lower.contains(where: { $0.properties.changesWhenNFKCCaseFolded && $0.value != 0xDF }) else {
                return false
            }
            mapped.append(contentsOf: lower)
        }
        return true
    }

    /// Replaces a letter and its marks by the one scalar that means both, where there is one.
    private static func composed(_ text: String) -> String {
        var result = ""
        for character in text { result.append(character.unicodeScalars.count == 1 ? character : composed(character)) }
        return result
    }

    private static func composed(_ character: Character) -> Character {
        let first = character.unicodeScalars.first!.value
        let wholes: [ClosedRange<UInt32>] =
            switch first {
            case 0x1100...0x1112: syllables(first)
            case 0x370...0x3FF: [0x370...0x3FF, 0x1F00...0x1FFF]
            case 0x400...0x4FF, 0x600...0x6FF, 0x900...0xDFF, 0x3040...0x30FF: [first & 0xFF00...first | 0xFF]
            default: [0xC0...0x24F, 0x1E00...0x1EFF]
            }
        for whole in wholes.joined() {
            // Characters that are canonically equivalent are equal.
            if let scalar = Unicode.Scalar(whole), Character(scalar) == character { return Character(scalar) }
        }
        return character
    }

    /// The syllables of Hangul that begin with this consonant. Source: Unicode, section 3.12.
    private static func syllables(_ consonant: UInt32) -> [ClosedRange<UInt32>] {
        let first = 0xAC00 + (consonant - 0x1100) * 588
        return [first...first + 587]
    }
}
