/// A work item for a loop that is itself an object, so that the loop needs no closure for it.
package protocol LoopWork: AnyObject, Sendable {
    func runOnLoop()
}
