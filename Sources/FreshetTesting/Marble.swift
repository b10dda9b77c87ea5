public import FreshetCore

/// Recordings as one line of text: a column is a unit of time, a letter is an element, `|` the end, `#` a failure, `-`
/// nothing; what happens at one time stands in parentheses, which take one column.
///
///     -a--(bc)-'two words'<60>|
///
/// An element whose name is not one letter, or one that means something else, stands in `'…'`; `<60>` is sixty columns of
/// nothing. White space is for the reader's eye. The operator `marble(_:scheduler:report:)`, and `marble(from:)`
/// of recordings, write this.
public enum Marble {
    /// What `#` stands for.
    public struct Failure: Error, Hashable, Sendable {
        public init() {}
    }

    /// The events that `text` shows, its first column being `start`. Text that shows nothing of the kind is a programmer's
    /// error.
    public static func events(_ text: String, from start: TestTime = 0) -> [Recorded<Event<String>>] {
        events(text, from: start) { $0 }
    }

    /// The events that `text` shows, with the element of `values` for each name. A name that is not among them is a
    /// programmer's error.
    public static func events<Element>(
        _ text: String, from start: TestTime = 0, values: [String: Element]
    ) -> [Recorded<Event<Element>>] {
        events(text, from: start) { name in
            guard let value = values[name] else { preconditionFailure("marbles \(text): there is no value \(name)") }
            return value
        }
    }

    private static func events<Element>(
        _ text: String, from start: TestTime, _ element: (String) -> Element
    ) -> [Recorded<Event<Element>>] {
        do {
            return try MarbleLine(reading: text).marks.map { mark in
                let time = start + mark.column
                return switch mark.sign {
                case .element(let name): .next(time, element(name))
                case .failure: .error(time, Failure())
                case .end: .completed(time)
                }
            }
        } catch {
            preconditionFailure(error.description)
        }
    }

    /// The line that shows `events`, its first column being `start`; what was before is not shown. Elements show as they
    /// describe themselves, and any error as `#`.
    ///
    /// - Parameters:
    ///   - events: what was recorded.
    ///   - start: the time of the first column.
    ///   - end: the time after the line's last column, if the silence after the last event is to show.
    public static func text<Element>(
        of events: [Recorded<Event<Element>>], from start: TestTime = 0, to end: TestTime? = nil
    ) -> String {
        let marks = events.filter { $0.time >= start }.map { event in
            MarbleLine.Mark(event.time - start, MarbleLine.Sign(event.value))
        }
        return MarbleLine(marks, width: (end ?? start) - start).text
    }
}

extension Array {
    /// The line of marbles that shows these recordings, its first column being `start`; see ``Marble``.
    ///
    ///     observer.events.marble(from: 200)    // "-a--(bc)-|"
    public func marble<Value>(from start: TestTime = 0, to end: TestTime? = nil) -> String
    where Element == Recorded<Event<Value>> {
        Marble.text(of: self, from: start, to: end)
    }
}
