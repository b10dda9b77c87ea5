import Foundation
import Freshet

// What it costs that tokens end: `authentication`, `authentication rush [options]` or `authentication cost [options]`.
// The other words are those with which the program calls itself.
OpenFiles.raiseLimit()
let words = Array(CommandLine.arguments.dropFirst())
guard let options = Options(words.dropFirst()) else { usage() }
switch words.first {
case nil:
    try Rush.report(options)
    try Cost.report(options)
case "rush": try Rush.report(options)
case "cost": try Cost.report(options)
case "serve": try serve()
case "send": try Cost.send(options)
default: usage()
}

func usage() -> Never {
    print("usage: authentication [rush|cost] [--requests N] [--rounds N] [--connections N]")
    exit(2)
}
