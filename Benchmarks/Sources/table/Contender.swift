import FreshetShapes
import Limit
import OpenCombineShapes
import Workload

enum Contender: String, CaseIterable {
    case limit, freshet, openCombine

    var runs: [Shape: Run] {
        switch self {
        case .limit: Limit.limit
        case .freshet: freshetShapes
        case .openCombine: OpenCombineShapes.openCombine
        }
    }
}
