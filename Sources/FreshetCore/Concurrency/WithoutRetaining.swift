/// Calls `body` with `object` without counting that it is held meanwhile.
///
/// For what somebody else holds until `body` returns, whatever that does: an object's own constant, say, whose owner is
/// held. To count takes as long as a short call.
@inlinable @inline(__always)
package func withoutRetaining<Object: AnyObject, Result>(
    _ object: @autoclosure () -> Object, _ body: (Object) -> Result
) -> Result {
    // Evaluated here: an argument is held for the call.
    Unmanaged.passUnretained(object())._withUnsafeGuaranteedRef(body)
}
