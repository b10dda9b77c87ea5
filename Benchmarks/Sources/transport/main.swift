import Foundation
import Harness

// Freshet's transport beside the same work in C and beside other clients, as ratios within rounds.
guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print(
        """
        usage: transport [KEY...] [--quick] [--rounds N] [--share X] [--no-instructions] [--no-peers] [--pin]
                         [--streams N] [--silence SECONDS] [--gibibytes N] [--freshet PATH] [--libcurl DIR]...
        keys: small-1 small-64 small-512 token elsewhere elsewhere-1 loops layers hits 16k 1m h2 tls beside streams download run
        """)
    exit(2)
}
do {
    defer { Directory.shared.remove() }
    for peer in Contender.peers where options.hasPeers && !peer.isThere {
        print("\(peer.name) is left out: its program, \(peer.program), has not been built")
    }
    let nginx = try Nginx(bigFile: options.gibibytes << 30, onProcessor: options.isPinned ? 1 : nil)
    defer { nginx.end() }
    let silent = try SilentServer()
    defer { silent.end() }
    for library in options.libraries {
        // The children take it over; nothing else in this process loads a library.
        setenv("LD_LIBRARY_PATH", library, 1)
        let libcurl = try Contender.loadedLibcurl()
        try Loads.report(options, at: nginx, silent: silent.url, libcurl: libcurl)
        if options.wants("streams") { try Silence.report(options, at: silent.url, libcurl: libcurl) }
        if options.wants("download") { try Downloads.report(options, at: nginx, libcurl: libcurl) }
        if options.wants("run") { try Pipelines.report(options, at: nginx, libcurl: libcurl) }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
