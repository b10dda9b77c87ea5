/// Hands `object` to `body` without counting the reference: for the steps of every request, each of which would else pay
/// two atomic operations for what it reads from a variable.
///
/// Only for what somebody else holds until `body` has returned: a line where it is used says who. Name the variable itself:
/// a constant that it was copied into has been counted.
@inline(__always)
func lent<Object: AnyObject, Result>(
    _ object: @autoclosure () -> Object, _ body: (Object) throws -> Result
) rethrows -> Result {
    let lent = Unmanaged.passUnretained(object())
    return try lent._withUnsafeGuaranteedRef(body)
}

/// The same for what need not be there; `nil` if it is not.
@inline(__always)
func lent<Object: AnyObject, Result>(
    ifAny object: @autoclosure () -> Object?, _ body: (Object) throws -> Result
) rethrows -> Result? {
    guard let lent = object().map({ Unmanaged.passUnretained($0) }) else { return nil }
    return try lent._withUnsafeGuaranteedRef(body)
}
