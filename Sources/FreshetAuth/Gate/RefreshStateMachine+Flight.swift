import FreshetCore

// The steps of the one flight: peeked, opened, answered, persisted.
extension RefreshStateMachine {
    /// Without the lock nothing is asked for or written; but what a sibling has left is taken over by all at once, and does
    /// not have them queue for the lock. Asked again and again while the lock is waited for.
    mutating func peeked(_ id: Int, _ stored: StoredCredential?, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, at: moment) }
        guard case .opening = flight.phase, case .refresh = flight.job else { return [] }
        guard let stored, isDecided(by: stored, at: moment) else { return [.open(flight: id)] }
        return decide(on: stored, at: moment)
    }

    private func isDecided(by stored: StoredCredential, at moment: Moment) -> Bool {
        if stored.isRefused { return true }
        switch session {
        case .over(let ended) where ended.isEnd(of: stored): return limits.needsLogin
        case .active(let held) where held.credential.generation == stored.version: return false
        default: break
        }
        guard let credential = stored.credential, flight?.waiters.values.contains(stored.version) == false else {
            return false
        }
        return refreshTime(of: credential, at: moment).map { moment.wall < $0 } ?? true
    }

    /// When a credential that is new now is to be renewed.
    private func refreshTime(of credential: Credential, at moment: Moment) -> Double? {
        // Under a tenth of its life, so that a token of a few seconds is used at all.
        credential.expiresAt.map { $0 - max(0, min(limits.mandatoryWindow, ($0 - moment.wall) / 10)) }
    }

    mutating func opened(_ id: Int, _ opening: Opening, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id, case .opening = flight.phase else { return dropped(id, at: moment) }
        switch (flight.job, opening) {
        case (_, .unlockable(let error)), (.refresh, .unreadable(let error)), (.logout, .unreadable(let error)):
            return fail(with: .store(error), at: moment)
        case (.refresh, .found(let stored)):
            return decide(on: stored, at: moment)
        case (.login(let credential), _):
            return persist(StoredCredential(credential: credential, version: nextVersion(after: opening)))
        case (.logout, .found):
            return persist(StoredCredential(version: nextVersion(after: opening)))
        }
    }

    private func nextVersion(after opening: Opening) -> Int {
        var version = 0
        if case .found(let stored) = opening { version = stored.version }
        switch session {
        case .active(let held): version = max(version, held.credential.generation)
        case .over(let ended): version = max(version, ended.stored.version)
        case .unread: break
        }
        // Which of two is larger means nothing, so the largest has a successor too.
        return version &+ 1
    }

    private mutating func persist(_ record: StoredCredential) -> [Action] {
        guard let id = flight?.id else { return [] }
        flight?.phase = .persisting(record)
        return [.persist(flight: id, record)]
    }

    /// Knowing what is stored: take it, or renew it, or see that only a login helps.
    private mutating func decide(on stored: StoredCredential, at moment: Moment) -> [Action] {
        let hasEnded = if case .over(let ended) = session { ended.isEnd(of: stored) } else { false }
        if hasEnded, limits.needsLogin, case .over(let ended) = session {
            return fail(with: ended.failure, at: moment)
        }
        if stored.isRefused { return end(of: stored, .refused, with: .loginRequired(.refused), at: moment) }
        flight?.generation = stored.version
        guard let credential = stored.credential else {
            flight?.cause = .missing
            return ask(stored, at: moment)
        }
        let isRejected = hasEnded || flight?.waiters.values.contains(stored.version) == true
        let isTakenOver = adopt(credential, isRejected: isRejected, at: moment)
        if case .active(let held) = session, !held.isRejected, held.refreshAt.map({ moment.wall < $0 }) ?? true {
            // Reading the store for the first time is no refresh; finding there what a sibling did is one.
            if isTakenOver { flight?.cause = .rejected }
            return succeed(with: credential, isTakenOver ? .adopted : nil, at: moment)
        }
        if case .active(let held) = session { flight?.cause = held.isRejected ? .rejected : .expiring }
        return ask(stored, at: moment)
    }

    /// Makes `credential` the current one, if it is not so already.
    ///
    /// - Returns: whether it replaces another one.
    private mutating func adopt(_ credential: Credential, isRejected: Bool, at moment: Moment) -> Bool {
        var isReplacement = false
        if case .active(var held) = session {
            if held.credential.generation == credential.generation {
                held.isRejected = held.isRejected || isRejected
                session = .active(held)
                return false
            }
            isReplacement = true
        }
        if !isRejected { isAnnounced = false }
        let refreshAt = refreshTime(of: credential, at: moment)
        session = .active(Held(credential: credential, refreshAt: refreshAt, isRejected: isRejected))
        return isReplacement
    }

    private mutating func ask(_ stored: StoredCredential, at moment: Moment) -> [Action] {
        guard let id = flight?.id else { return [] }
        if let unsaved, unsaved.base == stored.version { return persist(unsaved.record) }
        unsaved = nil
        // A server that is down is not asked by every request anew, and is not to blame for a storm.
        guard admitRefresh(at: moment) else { return fail(with: trouble ?? .storm, at: moment) }
        flight?.phase = .refreshing(from: stored)
        return [.refresh(flight: id, stored.credential)]
    }

    mutating func answered(_ id: Int, _ answer: Answer, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id, case .refreshing(let stored) = flight.phase else {
            return dropped(id, at: moment)
        }
        switch answer {
        case .credential(var credential):
            if credential.refreshToken == nil { credential.refreshToken = stored.credential?.refreshToken }
            let record = StoredCredential(credential: credential, version: stored.version &+ 1)
            unsaved = (record, stored.version)
            return persist(record)
        case .failed(let error):
            return fail(with: .failed(error), at: moment)
        case .refused(let error):
            guard limits.needsLogin else {
                return end(of: stored, .refused, with: .denied(error), at: moment)
            }
            guard stored.credential != nil else {
                return end(of: stored, .noCredential, with: .loginRequired(.noCredential), at: moment)
            }
            var marked = stored
            marked.isRefused = true
            self.flight?.phase = .marking(stored, .refused(error))
            return [.persist(flight: id, marked)]
        }
    }

    mutating func persisted(_ id: Int, _ error: (any Error)?, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, at: moment) }
        switch flight.phase {
        case .marking(let stored, let failure):
            return end(of: stored, .refused, with: failure, at: moment)
        case .persisting(let record):
            if let error { return fail(with: .store(error), at: moment) }
            unsaved = nil
            guard let credential = record.credential else {
                return end(of: record, .loggedOut, with: .loginRequired(.loggedOut), at: moment)
            }
            _ = adopt(credential, isRejected: false, at: moment)
            if case .refresh = flight.job, credential.isExpired(at: moment.wall) {
                return fail(with: .failed(AlreadyExpired()), at: moment)
            }
            return succeed(with: credential, .refreshed, at: moment)
        case .opening, .refreshing:
            return []
        }
    }

    mutating func overdue(_ id: Int, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, at: moment) }
        switch flight.phase {
        case .opening: return fail(with: .failed(RefreshTimeout(step: "waiting for the store's lock")), at: moment)
        case .refreshing: return fail(with: .failed(RefreshTimeout(step: "the refresh")), at: moment)
        case .persisting: return fail(with: .store(RefreshTimeout(step: "writing the store")), at: moment)
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: moment)
        }
    }

    /// An input of a flight that is over: whatever it brings comes too late.
    private mutating func dropped(_ id: Int, at moment: Moment) -> [Action] {
        guard let fenced = fenced.removeValue(forKey: id) else { return [.close(flight: id)] }
        return [.close(flight: id), .report(event(of: fenced, .discarded, at: moment))]
    }
}
