import FreshetShapes
import Limit
import OpenCombineShapes
import Workload

enum Contender: String, CaseIterable {
    case limit, freshet, openCombine, rxSwift

    /// - Parameter library: RxSwift's shapes, if there is a checkout.
    func run(_ shape: Shape, _ library: RxSwiftLibrary?) -> Run? {
        switch self {
        case .limit: Limit.limit[shape]
        case .freshet: freshetShapes[shape]
        case .openCombine: OpenCombineShapes.openCombine[shape]
        case .rxSwift: library?.run(shape)
        }
    }
}
