import FreshetHTTP
import Tracing

/// The context of the task that sent the request, for what happens on the loop.
struct ServiceContextNote: RequestTag {
    let context: ServiceContext

    /// Notes the context of the task that runs, if there is one.
    static func note(on request: inout Request) {
        guard request.tags[Self.self] == nil, let context = ServiceContext.current else { return }
        request.tags[Self.self] = ServiceContextNote(context: context)
    }
}
