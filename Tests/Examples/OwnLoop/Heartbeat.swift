import CFreshetUV  // In a program of your own: your own import of libuv.
import Freshet

/// A program with a libuv loop of its own, on which its own timer ticks. It lends the loop, and at each tick asks how a
/// server is; all of it happens on the one thread that there is.
///
///     OwnLoopExample http://127.0.0.1:8080/health
@main
struct Heartbeat {
    static func main() throws {
        let url = CommandLine.arguments[1]
        let program = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        uv_loop_init(program)
        let ticker = Ticker(on: program, milliseconds: 20)

        let loop = try Loop(adopting: program)
        let runtime = FreshetRuntime(on: loop)
        let beats = ticker.ticks.take(5)
            .concatMap { number in
                runtime.client.get(url).map { "\(number): \($0.status.code)" }
                    .catch { .just("\(number): \(($0 as? HTTPClientError)?.code.rawValue ?? "\($0)")") }
            }
            .subscribe(
                onNext: { print($0) },
                onCompleted: {
                    ticker.stop()
                    runtime.shutdown()
                    loop.shutdown()
                })

        // Returns when neither the program nor Freshet has a handle left.
        uv_run(program, UV_RUN_DEFAULT)
        beats.dispose()
        print(uv_loop_close(program) == 0 ? "nothing is left on the loop" : "something was left on the loop")
        program.deallocate()
    }
}
