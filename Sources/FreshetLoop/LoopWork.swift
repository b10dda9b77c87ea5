/// A work item for a loop. The item is an object, so the loop needs no closure for it.
package protocol LoopWork: AnyObject, Sendable {
    func runOnLoop()
}
