import Dispatch
import Peer

// async-http-client as a contender, asked from async code.
let options = PeerOptions.ofThisProcess()
let client = NIOClient(options)

// What is written at the top of a program is the main actor's, and with it the main thread's, which waits: all that
// happens meanwhile has to be somebody else's.
let end = DispatchSemaphore(value: 0)
Task.detached { [options, client] in
    let streams = options.streams > 0 ? await client.openStreams() : nil
    if options.isForStreamsAlone, let streams {
        try await Task.sleep(for: .seconds(options.seconds))
        print(streams.line())
    } else {
        print(await TaskTally.run(of: "async-http-client", options) { await client.send() }.line())
    }
    end.signal()
}
// Callgrind bears no program whose main thread leaves.
end.wait()
