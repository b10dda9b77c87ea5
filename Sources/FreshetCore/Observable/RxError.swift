/// The errors that the library itself reports. Source: RxSwift's `RxError`.
public enum RxError: Error {
    /// An error that should not happen.
    case unknown
    /// `object` was used after it was disposed of.
    case disposed(object: any AnyObject & Sendable)
    /// A counter overflowed.
    case overflow
    /// The stream has no element at the given index.
    case argumentOutOfRange
    /// The stream completed without the expected element.
    case noElements
    /// The stream had more than the one expected element.
    case moreThanOneElement
    /// The stream emitted nothing within the time limit.
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
