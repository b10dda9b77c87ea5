/// An error in a JSON text, and its place.
public struct JSONError: Error, Sendable, Equatable {
    /// What is wrong, such as `it is no JSON: a value is expected`. It contains nothing of the text.
    public var message: String
    /// The offset of the error in bytes.
    public var offset: Int

    public init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(message) (at byte \(offset))" }
}
