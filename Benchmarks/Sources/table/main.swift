import Glibc
import Workload

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: table [word …] [--rounds N] [--slice MILLISECONDS]")
    exit(2)
}
let stopwatch = Stopwatch(rounds: options.rounds, slice: options.slice)
var report = Report(scale: Scale(stopwatch))
report.printHead()
for shape in options.shapes {
    report.add(stopwatch.measure(shape))
    fflush(nil)
}
report.printFoot()
exit(0)
