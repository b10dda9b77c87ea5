import Freshet
import Glibc
import Peer

// Freshet as a contender: asked from its loop, from another thread, or from `async` code, there or here.
OpenFiles.raiseLimit()
let options = PeerOptions.ofThisProcess()
let client = try Client(options)
let streams = client.streamRequest.map { Streams(client, $0, count: options.streams) }
streams?.openAll()
if options.isForStreamsAlone, let streams {
    sleep(UInt32(options.seconds))
    print(streams.tally.line())
} else if let file = options.output {
    print(Download(client, options, to: file).run().line())
} else {
    let tally =
        switch options.from {
        case "thread": FromThread(client, options).run()
        case "async": FromTasks(client: client, options: options).run()
        case "tasks-on-loop":
            FromTasks(client: client, options: options, executor: client.runtime.loop.taskExecutor).run()
        default: FromLoop(client, options).run()
        }
    print(tally.line())
}
client.runtime.shutdown()
