import Foundation
import Freshet
import Harness

// What layers gain, beside the same client without them: requests saved, latency of the slowest, responses in time.
OpenFiles.raiseLimit()
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "serve", let server = words.last.flatMap(ServerKind.init) {
    try server.serve()
    exit(0)
}
guard let options = Options(words) else {
    print("usage: layers [coalescing] [hedging] [overload] [--rounds N] [--seconds S] [--quick]")
    exit(2)
}
do {
    if options.wants("coalescing") { try await Rush.report(options) }
    if options.wants("hedging") { try await SlowResponses.report(options) }
    if options.wants("overload") { try await Overload.report(options) }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
