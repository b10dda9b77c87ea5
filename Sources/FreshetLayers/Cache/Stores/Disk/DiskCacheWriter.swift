import FreshetCore
import FreshetCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes one body into the folder of a disk cache, on a scheduler that runs one piece of work at a time.
final class DiskCacheWriter: CacheWriter {
    private struct State: Sendable {
        var file: File?
        var path = ""
        var digest = BodyDigest()
        var length = 0
        var isGivenUp = false
    }

    private let response: CachedResponse
    private let key: CacheKey
    private let store: DiskCacheStore
    private let scheduler: SerialScheduler
    private let state = Locked(State())

    init(_ response: CachedResponse, _ key: CacheKey, _ store: DiskCacheStore, _ scheduler: SerialScheduler) {
        var response = response
        response.id = SecureRandom.text(12)
        response.selectors = response.selectors.mapValues { $0.map(store.fingerprint) }
        self.response = response
        self.key = key
        self.store = store
        self.scheduler = scheduler
    }

    func append(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
        run { [self] in
            attempt { state in
                if state.file == nil { (state.file, state.path) = try store.folder.newFile() }
                state.length += bytes.count
                guard state.length <= store.maximumSize / 4 else { return Self.giveUp(&state) }
                try state.file?.write(bytes)
                state.digest.add(bytes)
            }
            written()
        }
    }

    func finish(stored: @escaping @Sendable () -> Void) {
        run { [self] in
            attempt { state in
                if state.file == nil { (state.file, state.path) = try store.folder.newFile() }
                try publish(&state)
            }
            let length = state.withLock { $0.isGivenUp ? nil : $0.length }
            if let length { store.stored(length + 8192) }
            stored()
        }
    }

    func abandon() {
        run { [self] in state.withLock { Self.giveUp(&$0) } }
    }

    /// The body gets its name before the head, so that no head is found without its body.
    private func publish(_ state: inout State) throws {
        let place = store.folder.folder(of: key.url)
        let owner = store.folder.owner(key.owner)
        try store.folder.move(state.path, to: "\(response.id).body", in: place)
        var response = response
        response.bodyLength = state.length
        do {
            try store.write(
                CacheHead(response, bodyDigest: state.digest.finish()), as: "\(owner).\(response.id).head", in: place)
        } catch {
            unlink("\(place)/\(response.id).body")
            throw error
        }
        for name in File.names(in: place) where name.hasPrefix(owner + ".") && name.hasSuffix(".head") {
            let id = String(CacheFolder.id(name))
            guard id != response.id, let bytes = CacheHead.content(of: "\(place)/\(name)") else { continue }
            let head = CacheHead(bytes, id: id, key: store.folder.key)
            // A damaged head is replaced too.
            guard head == nil || head?.response.selectors == response.selectors else { continue }
            unlink("\(place)/\(name)")
            unlink("\(place)/\(id).body")
        }
    }

    private static func giveUp(_ state: inout State) {
        if !state.path.isEmpty { unlink(state.path) }
        state.file = nil
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
        // Another process has removed the missing file or folder. The next response can be stored.
        guard let failure, (failure as? FileFailure)?.isMissing != true else { return }
        store.turnOff(after: failure)
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        _ = scheduler.schedule(()) {
            work()
            return Disposables.create()
        }
    }
}
