/// Several errors as one. Source: RxJava's `CompositeException`.
///
/// The operators that delay errors, such as ``ObservableType/mergeDelayError()``, end with it when more than one source has
/// failed.
public struct CompositeError: Error {
    /// At least two, in the order in which they came.
    public let errors: [any Error]

    init(_ errors: [any Error]) {
        self.errors = errors
    }
}

extension CompositeError: CustomStringConvertible {
    public var description: String {
        "\(errors.count) errors: \(errors.map { String(describing: $0) }.joined(separator: "; "))"
    }
}
