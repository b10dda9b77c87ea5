import FreshetCore
import FreshetCrypto
import Glibc

/// Writes one body into the folder of a disk cache, on a scheduler that runs one piece of work at a time.
final class DiskCacheWriter: CacheWriter {
    private struct State: Sendable {
        var output: (file: File, path: String)?
        /// What is not yet a piece.
        var rest: [UInt8] = []
        var pieces = 0
        var length = 0
        var isGivenUp = false
    }

    /// What a response takes beside its body and its head, in bytes: its folder, and what the file system rounds up to.
    private static let overhead = 3 * 4096

    private let response: CachedResponse
    private let body: SealedBody
    private let entries: CacheEntries
    private let store: DiskCacheStore
    private let scheduler: SerialScheduler
    private let state: Locked<State>

    init(_ response: CachedResponse, _ key: CacheKey, _ store: DiskCacheStore, _ scheduler: SerialScheduler) {
        var response = response
        response.id = SecureRandom.text(12)
        let folder = store.folder
        response.selectors = response.selectors.mapValues { $0.map(folder.fingerprint) }
        self.response = response
        body = SealedBody(id: response.id, key: folder.key)
        entries = CacheEntries(of: key, in: folder)
        self.store = store
        self.scheduler = scheduler
        state = Locked(State(isGivenUp: response.isTooLarge(forStoreOf: store.maximumSize)))
    }

    func append(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
        run { [self] in
            attempt { state in
                state.length += bytes.count
                guard state.length <= store.maximumSize / 4 else { return Self.giveUp(&state) }
                state.rest += bytes
                var end = SealedBody.pieceSize
                while end <= state.rest.count {
                    try write(Array(state.rest[(end - SealedBody.pieceSize)..<end]), &state)
                    // Nothing is left if there was no room.
                    end += SealedBody.pieceSize
                }
                state.rest.removeFirst(min(end - SealedBody.pieceSize, state.rest.count))
            }
            written()
        }
    }

    func finish(stored: @escaping @Sendable () -> Void) {
        run { [self] in
            attempt { state in
                try write(state.rest, &state)
                // None is left if there was no room.
                if let output = state.output { try publish(output.path, length: state.length) }
            }
            stored()
        }
    }

    func abandon() {
        run { [self] in state.withLock { Self.giveUp(&$0) } }
    }

    /// Gives up if there is no room.
    private func write(_ piece: [UInt8], _ state: inout State) throws {
        let sealed = piece.isEmpty ? [] : try body.sealed(piece, at: state.pieces)
        guard try store.reserve(sealed.count + (state.output == nil ? Self.overhead : 0)) else {
            return Self.giveUp(&state)
        }
        if state.output == nil { state.output = try entries.folder.newFile() }
        try state.output?.file.write(sealed)
        state.pieces += 1
    }

    /// The body gets its name first, and the head then: a head without its body is never found.
    private func publish(_ path: String, length: Int) throws {
        try entries.addBody(path, response.id)
        var (response, isStored) = (response, false)
        response.bodyLength = length
        defer { if !isStored { entries.remove(response.id) } }
        isStored = try store.write(response, to: entries)
        if isStored { removeReplaced(by: response) }
    }

    /// Removes the responses with the same selectors, damaged ones, and the oldest ones beyond the limit.
    private func removeReplaced(by response: CachedResponse) {
        var kept: [CachedResponse] = []
        for id in entries.ids where id != response.id {
            guard let other = entries.response(id) else {
                entries.remove(id)
                continue
            }
            let isSame = other.selectors == response.selectors
            if isSame, other.wasMade(after: response) {
                // This late one would be served after the removal of the newer one.
                entries.remove(response.id)
            } else if isSame, !other.isNewer(than: response) {
                entries.remove(id)
                continue
            }
            kept.append(other)
        }
        // The new response is one of them.
        for other in kept.sorted(by: { $0.isNewer(than: $1) }).dropFirst(CachedResponse.variantLimit - 1) {
            entries.remove(other.id)
        }
    }

    private static func giveUp(_ state: inout State) {
        if let output = state.output.take() { unlink(output.path) }
        state.rest = []
        state.isGivenUp = true
    }

    private func attempt(_ work: (inout State) throws -> Void) {
        let failure = state.withLock { state -> (any Error)? in
            if store.isOff { Self.giveUp(&state) }
            if state.isGivenUp { return nil }
            do {
                try work(&state)
                return nil
            } catch {
                Self.giveUp(&state)
                return error
            }
        }
        guard let failure else { return }
        // Another process has removed a missing file or folder, and open files are closed again. The next response can be stored.
        if let failure = failure as? FileFailure, failure.isMissing || failure.isOfOpenFiles { return }
        store.turnOff(after: failure)
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        _ = scheduler.schedule(()) {
            work()
            return Disposables.create()
        }
    }
}
