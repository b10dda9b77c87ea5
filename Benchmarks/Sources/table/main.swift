import Glibc
import Limit
import Workload

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: table [word …] [--rounds N] [--slice MILLISECONDS] [--rxswift PATH]")
    exit(2)
}
// As in most programs, there is a second thread: while there is none, glibc takes locks more cheaply.
let thread = handHop { _ in }
let work = Workload()
let rxSwift: RxSwiftLibrary?
do {
    rxSwift = try options.rxSwift.map(RxSwiftLibrary.init)
} catch {
    print(error)
    exit(2)
}
var trials = options.shapes.map { Trial($0, slice: options.slice, work: work, rxSwift: rxSwift) }
// Round by round through all shapes, so that a minute in which the machine is busy does not fall on one of them.
for _ in 0..<options.rounds {
    for index in trials.indices { trials[index].runRound() }
}

var report = Report()
report.printHead()
for trial in trials { report.add(trial) }
report.printFoot()
if let hops = trials.first(where: { $0.shape == .observeOn }) {
    report.printRate(of: hops)
    Latency(rounds: min(options.rounds, 60)).print()
}
thread.end()
