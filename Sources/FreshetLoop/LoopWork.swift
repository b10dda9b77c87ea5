/// A piece of work for a ``Loop`` that is an object anyway.
package protocol LoopWork: AnyObject, Sendable {
    func runOnLoop()
}
