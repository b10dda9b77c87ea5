import FreshetCore
import Glibc
import HTTPTypes

/// The hosts that a client contacts only over https, because their responses require it. Source: RFC 6797.
///
/// Set it as ``HTTPClient/Configuration/hsts``. The client changes the URL of each hop before interceptors and credentials are
/// chosen for it: http becomes https, and port 80 becomes 443. It learns from responses over https. Several clients can share a
/// store, from any thread.
public final class HSTSStore: Sendable {
    private struct State: Sendable {
        var list: HSTSList
        var hasChanged = false
    }

    private let state: Locked<State>
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - text: the content of a file in curl's format, to begin with. Lines that make no sense are ignored.
    ///   - secondsSince1970: the wall clock, by which policies end.
    @preconcurrency
    public init(
        file text: String = "", secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        state = Locked(State(list: HSTSList(file: text)))
        self.secondsSince1970 = secondsSince1970
    }

    /// The content of a file in curl's format.
    public var file: String {
        let now = secondsSince1970()
        return state.withLock { $0.list.file(at: now) }
    }

    /// Whether the list has changes that are not written to a file yet.
    public var hasChanged: Bool { state.withLock { $0.hasChanged } }

    /// Writes a temporary file and renames it to `path`, or to the file that the link `path` leads to. It has the mode of the file
    /// that it replaces. A device or a pipe is written directly, because the file would replace it.
    ///
    /// - Throws: ``HTTPClientError`` with code `store`.
    public func write(to path: String) throws {
        let now = secondsSince1970()
        let file = state.withLock { state in
            // What is learnt from now on is not in the file.
            state.hasChanged = false
            return state.list.file(at: now)
        }
        do {
            let new = PartialFile(path, isResumable: false)
            _ = try new.openPart(for: 0)
            try new.write([Array(file.utf8)])
            try new.finish(isDurable: false)
        } catch {
            state.withLock { $0.hasChanged = true }
            let cause = (error as? HTTPClientError)?.underlying as? FileError
            throw HTTPClientError(
                .store, phase: .storing,
                message: "the file \(path) can't be written\(cause.map { ": \($0)" } ?? "")",
                recoverySuggestion: "name a file elsewhere", underlying: cause)
        }
    }

    /// Returns the URL to request in place of `url`.
    func upgraded(_ url: RequestURL) -> RequestURL {
        guard !url.isSecure else { return url }
        let now = secondsSince1970()
        return state.withLock { $0.list.contains(url.host, at: now) } ? url.secured ?? url : url
    }

    func learn(_ head: HTTPResponse, from url: RequestURL) {
        guard url.isSecure, head.headerFields.contains(.strictTransportSecurity) else { return }
        let now = secondsSince1970()
        state.withLock { state in
            if state.list.learn(head.headerFields, from: url.host, at: now) { state.hasChanged = true }
        }
    }
}

extension RequestURL {
    /// The same URL with https. Port 80 becomes 443; any other port stays.
    fileprivate var secured: RequestURL? {
        let place = port == 80 ? host : "\(host):\(port)"
        return try? RequestURL("https://\(place)\(pathAndQuery)")
    }
}
