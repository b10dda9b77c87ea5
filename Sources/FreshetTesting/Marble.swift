public import FreshetCore

/// Recordings as one line of text. One column is one unit of virtual time: a letter is an element, `|` the completion,
/// `#` an error, and `-` a column without an event. Events of one time stand in parentheses, which take one column.
///
///     -a--(bc)-'two words'<60>|
///
/// An element stands in `'…'` if its name is not one letter, or is a letter with another meaning. `<60>` stands for
/// sixty columns without an event. White space has no meaning. The operator `marble(_:scheduler:report:)` and the
/// method `marble(from:)` of recordings write this format.
public enum Marble {
    /// The error that `#` stands for.
    public struct Failure: Error, Hashable, Sendable {
        public init() {}
    }

    /// Returns the events of `text`, whose first column is at time `start`. Malformed text is a programming error and
    /// stops the program.
    public static func events(_ text: String, from start: TestTime = 0) -> [Recorded<Event<String>>] {
        events(text, from: start) { $0 }
    }

    /// Returns the events of `text`, with the element of `values` for each name. Malformed text or a name without a
    /// value is a programming error and stops the program.
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

    /// Returns the line of `events`, whose first column is at time `start`. Earlier events are left out. An element is
    /// shown by its description, and any error as `#`.
    ///
    /// - Parameters:
    ///   - events: the recorded events, or a script in any order.
    ///   - start: the time of the first column.
    ///   - end: the time after the line's last column. Set it to show the silence after the last event.
    public static func text<Element>(
        of events: [Recorded<Event<Element>>], from start: TestTime = 0, to end: TestTime? = nil
    ) -> String {
        func columns(to time: TestTime) -> Int {
            let (columns, isTooMany) = time.subtractingReportingOverflow(start)
            return isTooMany ? .max : columns
        }
        // Events of one time keep their order, because the sort is stable.
        let marks = events.filter { $0.time >= start }.sorted { $0.time < $1.time }.map { event in
            MarbleLine.Mark(columns(to: event.time), MarbleLine.Sign(event.value))
        }
        return MarbleLine(marks, width: columns(to: max(end ?? start, start))).text
    }
}

extension Array {
    /// Returns these recordings as a line of marbles, whose first column is at time `start`. See ``Marble``.
    ///
    ///     observer.events.marble(from: 200)    // "-a--(bc)-|"
    public func marble<Value>(from start: TestTime = 0, to end: TestTime? = nil) -> String
    where Element == Recorded<Event<Value>> {
        Marble.text(of: self, from: start, to: end)
    }
}
