/// Calls `body` with `object` without retaining it for the call.
///
/// The caller ensures that another reference keeps `object` alive until `body` returns, whatever `body` does. An
/// example is a constant of an object that is itself retained. Retaining takes as long as a short call.
@inlinable @inline(__always)
package func withoutRetaining<Object: AnyObject, Result>(
    _ object: @autoclosure () -> Object, _ body: (Object) -> Result
) -> Result {
    // The autoclosure is evaluated here, because Swift retains an ordinary argument for the call.
    Unmanaged.passUnretained(object())._withUnsafeGuaranteedRef(body)
}
