import Foundation
import Harness

// Very many event streams with an event a second each: beside the program in C that counts their bytes, and over a restart
// of their server.
guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print(
        """
        usage: streams [steady] [restart] [--streams N] [--seconds S] [--rounds N] [--down S]
               streams --quick
               streams client URL --streams N --seconds S
        """)
    exit(2)
}
if options.url != nil {
    try Client(options).run()
} else {
    do {
        defer { Directory.shared.remove() }
        if options.wants("steady") { try Steady.report(options) }
        if options.wants("restart") { try Restart.report(options) }
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}
