import Benchmark
import FreshetShapes
import Limit
import OpenCombineShapes
import Workload

let benchmarks: @Sendable () -> Void = {
    let work = Workload()
    let contenders = [("limit", limit), ("Freshet", freshetShapes), ("OpenCombine", openCombine)]
    for shape in Shape.allCases {
        for (name, runs) in contenders {
            guard let run = runs[shape] else { continue }
            let configuration = Benchmark.Configuration(
                metrics: [.wallClock], scalingFactor: .kilo, maxDuration: .milliseconds(200))
            Benchmark("\(shape.rawValue) – \(name)", configuration: configuration) { benchmark in
                run(benchmark.scaledIterations.count, work)
            }
        }
    }
}
