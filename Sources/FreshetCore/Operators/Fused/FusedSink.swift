/// The one link of a fused run. Its work on an element is a function made where the types are known: an overridden method is
/// not specialised, and would find out what its types are for each element.
@usableFromInline
final class FusedSink<Element, Result>: OperatorSink<Element, Result> {
    @usableFromInline let step: (FusedSink, UnsafePointer<Element>) -> Void

    @inlinable
    init(to downstream: Sink<Result>, _ step: @escaping (FusedSink, UnsafePointer<Element>) -> Void) {
        self.step = step
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        withUnsafePointer(to: element) { step(self, $0) }
    }
}
