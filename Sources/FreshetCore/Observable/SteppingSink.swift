/// A link whose work on an element is a function made where the types are known: an overridden method is not specialised,
/// and would find out what its types are for each element.
@usableFromInline
class SteppingSink<Element, Result>: Pipe<Element, Result> {
    @usableFromInline final let step: (SteppingSink, UnsafePointer<Element>) -> Void

    /// - Parameter step: captures nothing.
    @inlinable
    init(to downstream: Sink<Result>, _ step: @escaping (SteppingSink, UnsafePointer<Element>) -> Void) {
        self.step = step
        super.init(to: downstream)
    }

    final override func next(_ element: Element) {
        withUnsafePointer(to: element) { step(self, $0) }
    }
}
