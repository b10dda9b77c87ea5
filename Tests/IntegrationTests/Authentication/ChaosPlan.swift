/// The size and the events of a chaos run.
struct ChaosPlan {
    /// The number of programs that send requests.
    var programs = 4
    /// The largest number of requests that a program gets at a step.
    var batch = 12
    /// The largest number of logins and logouts of the command at a time.
    var commands = 1
    /// Whether persons log in with a browser, and step up where a request needs another scope.
    var signsIn = false
    /// The longest time for which the token endpoint hangs.
    var longestHang = Duration.seconds(1)

    /// Twenty programs that log in, log out, refresh and step up.
    static let signIn = ChaosPlan(programs: 16, batch: 3, commands: 4, signsIn: true)
}
