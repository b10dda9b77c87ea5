import FreshetCore
import HTTPTypes

// What goes on as it is goes on at once, each piece handed over and none copied; for the rest the machine says what to do.
extension RequestCall {
    func take(_ part: consuming ResponsePart, of step: Int) {
        guard enter() else { return submit(.input(.part(part), step: step)) }
        if concerns(step) { take(part) }
        leave()
    }

    func wholeBodyLimit(of step: Int) -> Int {
        guard wholeBodyLimit > 0, monitored == nil, enter() else { return 0 }
        defer { leave() }
        // What is looked at on the way comes in pieces, of which no more are read than it takes.
        return concerns(step) && machine.isDelivering ? wholeBodyLimit : 0
    }

    func take(_ part: consuming ResponsePart) {
        if isWatched { tell(of: .part(copy part)) }
        if machine.isQueued, let event = machine.beginAttempt() { emit(event) }
        guard machine.passesParts else { return advance(with: .part(part)) }
        switch consume part {
        case .head(let head):
            take(head)
        case .phase(let reached):
            if !isSilent {
                note(reached)
                pass(.phase(reached))
            }
        case .body(let bytes):
            if !isSilent { pass(.body(bytes)) }
        case .sent(let bytes, let total): emit(.sent(bytes: bytes, of: total))
        case .informational(let head): emit(.informational(head))
        case .trailers(let fields): emit(.trailers(fields))
        }
    }

    private func take(_ head: consuming HTTPResponse) {
        status = head.status.code
        if let url = machine.deliver(head, status) { return emit(head, from: url) }
        advance(with: .part(.head(head)))
    }

    func emit(_ head: consuming HTTPResponse, from url: consuming RequestURL) {
        if isSilent { return }
        noteHead()
        pass(head, from: url)
    }

    func emit(_ event: consuming RequestEvent) {
        if isSilent { return }
        note(event)
        pass(event)
    }

    /// Those who are told everything that comes, whatever becomes of it.
    func tell(of input: RequestStateMachine.Input) {
        monitored?.take(input)
        if !client.watchers.isEmpty { tellWatchers(of: input) }
    }
}
