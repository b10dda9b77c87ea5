import Dispatch
import Freshet
import Peer

/// Asks with `await`, in as many tasks as requests are to be under way.
struct FromTasks {
    let client: Client
    let options: PeerOptions
    /// Where the tasks run; `nil` is where tasks run by default.
    var executor: LoopTaskExecutor?

    func run() -> Tally {
        let end = DispatchSemaphore(value: 0)
        // The semaphore is between the write and the read.
        nonisolated(unsafe) var tally: Tally?
        Task(executorPreference: executor) {
            tally = await TaskTally.run(of: "freshet from async code", options) { [client] in
                try? await client.http.send(client.request).validate().value.body.count
            }
            end.signal()
        }
        // Callgrind bears no program whose main thread leaves.
        end.wait()
        return tally ?? Tally(of: "nobody", options)
    }
}
