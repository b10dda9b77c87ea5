/// What the library itself finds wrong with a stream. Source: RxSwift's `RxError`.
public enum RxError: Error {
    /// Something that should not happen.
    case unknown
    /// `object` was used after its end.
    case disposed(object: any AnyObject & Sendable)
    /// A counter overflowed.
    case overflow
    /// An index that the stream does not have.
    case argumentOutOfRange
    /// An element was expected, and the stream ended without.
    case noElements
    /// One element was expected, and the stream had more.
    case moreThanOneElement
    /// Nothing came in time.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .disposed(let object): "Object `\(object)` was already disposed."
        case .overflow: "Arithmetic overflow occurred."
        case .argumentOutOfRange: "Argument out of range."
        case .noElements: "Sequence doesn't contain any elements."
        case .moreThanOneElement: "Sequence contains more than one element."
        case .timeout: "Sequence timeout."
        }
    }
}
