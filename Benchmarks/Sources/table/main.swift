import Glibc
import Limit
import Workload

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: table [word …] [--rounds N] [--slice MILLISECONDS]")
    exit(2)
}
// As in most programs, there is a second thread: while there is none, glibc takes locks more cheaply.
let thread = handHop { _ in }
let work = Workload()
let measured = Shape.allCases.filter { options.shapes.contains($0) || Scale.shapes.contains($0) }
var trials = measured.map { Trial($0, slice: options.slice, work: work) }
// Round by round through all shapes, so that a minute in which the machine is busy does not fall on one of them.
for _ in 0..<options.rounds {
    for index in trials.indices { trials[index].runRound() }
}

var report = Report(scale: Scale(trials))
report.printHead()
for trial in trials where options.shapes.contains(trial.shape) { report.add(trial) }
report.printFoot()
if let hops = trials.first(where: { $0.shape == .observeOn }) {
    report.printRate(of: hops)
    Latency(rounds: min(options.rounds, 60)).print()
}
thread.end()
