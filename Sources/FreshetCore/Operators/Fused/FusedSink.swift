/// The only sink of a fused section. It calls a function that is made where the types are known. An overridden method
/// would not be specialized, and would look up its types for each element.
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
