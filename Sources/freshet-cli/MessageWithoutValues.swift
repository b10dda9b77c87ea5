import Foundation

/// Leaves words of the command line out of the parser's messages. A word in a wrong place, such as half of a field whose quotation
/// marks are missing, can be a password or a token.
enum MessageWithoutValues {
    /// `message` without the words that are in no place of an option or its value.
    ///
    /// - Parameter words: the words of the command line without the name of the command.
    static func message(_ message: String, about words: [String]) -> String {
        // A word can have lines that look like the usage, which comes last.
        let end = message.range(of: "\nUsage: freshet", options: .backwards)?.lowerBound ?? message.endIndex
        return reason(message[..<end], words).map { $0 + message[end...] } ?? message
    }

    private static func reason(_ reason: Substring, _ words: [String]) -> String? {
        if let start = reason.prefixMatch(of: #/(Unexpected argument|[0-9]+ unexpected arguments:) /#) {
            let places = places(of: reason[start.range.upperBound...], in: words)
            switch places.count {
            case 0: return "an argument is unexpected"
            case 1: return "argument \(places[0]) is unexpected"
            default: return "arguments \(places.map(String.init).joined(separator: ", ")) are unexpected"
            }
        }
        if let option = reason.prefixMatch(of: #/(The option '[^']*' does not take any value), but /#) {
            return "\(option.1)"
        }
        // After the letter of an option that does not exist, its value can follow.
        if let option = reason.prefixMatch(of: /Unknown option '(-[^-])[^']/) {
            return "an option that begins with \(option.1) is unknown; a name of several letters has two dashes"
        }
        // A word with three dashes, as a key in PEM has, is refused wherever it is.
        if let start = reason.prefixMatch(of: #/Invalid option: /#) {
            let place = places(of: "'\(reason[start.range.upperBound...])'", in: words).first
            return "\(place.map { "argument \($0)" } ?? "an argument") begins with dashes, but is no option"
        }
        // Only the option is named, which comes last.
        if reason.hasPrefix("The value '"), let end = reason.range(of: "' is invalid for '", options: .backwards) {
            return "the value\(reason[end.lowerBound...].dropFirst())"
        }
        return nil
    }

    /// The positions of `values`, as in `'first', 'second'`; empty if they are not found. The search begins with the last word,
    /// because a word that is expected can be equal, and comes first.
    private static func places(of values: Substring, in words: [String]) -> [Int] {
        var (rest, places) = (values, [Int]())
        // After --, no word is an option or an option's value.
        let end = words.firstIndex(of: "--") ?? words.count
        for (index, (option, word)) in zip([""] + words, words).enumerated().reversed()
        where (index > end || !JoinedOptions.needsValue(option, of: words.first)) && rest.hasSuffix("'\(word)'") {
            places.append(index + 1)
            rest = rest.dropLast(word.count + 2)
            if rest.hasSuffix(", ") { rest = rest.dropLast(2) }
        }
        return rest.isEmpty ? places.reversed() : []
    }
}
