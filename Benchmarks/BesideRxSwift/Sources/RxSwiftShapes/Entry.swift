import Workload

private let work = Workload()

/// Does a shape's work with `count` elements.
///
/// - Returns: the sum of what was consumed, or -1 if there is no such shape.
@_cdecl("rxswift_run")
public func run(_ shape: UnsafePointer<CChar>, _ count: Int) -> Int {
    guard let shape = Shape(rawValue: String(cString: shape)), let run = commonShapes[shape] else { return -1 }
    work.reset()
    if count > 0 { run(count, work) }
    return work.sum
}
