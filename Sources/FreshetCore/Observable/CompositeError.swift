/// Several errors as one error.
///
/// The operators that delay errors, such as ``ObservableType/mergeDelayError()``, fail with it when more than one
/// source has failed. Source: RxJava's `CompositeException`.
public struct CompositeError: Error {
    /// At least two errors, in the order in which they occurred.
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
