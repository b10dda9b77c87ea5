/// A piece of work for a loop that is an object anyway.
package protocol LoopWork: AnyObject, Sendable {
    func runOnLoop()
}
