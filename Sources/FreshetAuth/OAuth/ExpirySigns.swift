public import FreshetHTTP
import HTTPTypes

/// By what a response says that the credential of its request has ended: its status, or a value in its JSON body.
/// Either is enough.
public struct ExpirySigns: Sendable, Hashable {
    /// A place in the JSON body of a response, and the values that mean it.
    public struct Body: Sendable, Hashable {
        public var pointer: JSONPointer
        /// Compared as text, so that `401` matches the number and the string.
        public var equals: [String]

        public init(pointer: JSONPointer, equals: [String]) {
            self.pointer = pointer
            self.equals = equals
        }
    }

    public var statuses: Set<Int>
    /// Looked for in responses with a status from 400 to 599.
    public var body: Body?

    public init(statuses: Set<Int> = [401], body: Body? = nil) {
        self.statuses = statuses
        self.body = body
    }

    public func match(_ response: Response) -> Bool {
        if statuses.contains(response.status.code) { return true }
        guard let body, (400...599).contains(response.status.code), let document = try? JSONValue(response.body),
            let text = body.pointer.value(in: document)?.text
        else { return false }
        return body.equals.contains(text)
    }
}
