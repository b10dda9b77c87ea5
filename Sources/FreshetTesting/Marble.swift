public import FreshetCore

/// Recordings as one line of text: a column is a unit of time, a letter is an element, `|` the end, `#` a failure, `-`
/// nothing; what happens at one time stands in parentheses, which take one column.
///
///     -a--(bc)-|
public enum Marble {
    /// What `#` stands for.
    public struct Failure: Error, Hashable, Sendable {
        public init() {}
    }

    /// The events that `text` shows, its first column being `start`.
    public static func events(_ text: String, from start: TestTime = 0) -> [Recorded<Event<String>>] {
        var events: [Recorded<Event<String>>] = []
        var time = start
        var isGroup = false
        for character in text where !character.isWhitespace {
            switch character {
            case "(": isGroup = true
            case ")": isGroup = false
            case "-": break
            case "|": events.append(.completed(time))
            case "#": events.append(.error(time, Failure()))
            default: events.append(.next(time, String(character)))
            }
            if !isGroup { time += 1 }
        }
        return events
    }

    /// The line that shows `events`, its first column being `start`.
    public static func text(of events: [Recorded<Event<String>>], from start: TestTime = 0) -> String {
        var text = ""
        var column = start
        var rest = events[...]
        while let time = rest.first?.time {
            let group = rest.prefix { $0.time == time }
            rest = rest.dropFirst(group.count)
            let signs = group.map { symbol(of: $0.value) }.joined()
            text += String(repeating: "-", count: max(0, time - column)) + (group.count > 1 ? "(\(signs))" : signs)
            column = time + 1
        }
        return text
    }

    private static func symbol(of event: Event<String>) -> String {
        switch event {
        case .next(let element): element
        case .error: "#"
        case .completed: "|"
        }
    }
}
