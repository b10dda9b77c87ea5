#if Redis
    import FreshetCore
    import FreshetLoop

    /// A message on a lease's channel.
    enum RedisLeaseMessage: String {
        /// The holder has released the lease and written nothing.
        case free
        /// The holder has released the lease after a write.
        case saved
    }

    /// The subscriptions of the attempts that wait for a message. They use a connection of their own, because a connection that
    /// has subscribed takes no other commands.
    ///
    /// The messages only save time, so failures of this connection are not reported: a waiting attempt also polls.
    // Not sendable: only the loop's thread uses it.
    final class RedisSubscriptions {
        private let session: RedisSession
        private var listeners: [String: [ObjectIdentifier: (RedisLeaseMessage) -> Void]] = [:]

        init(_ session: RedisSession) {
            self.session = session
            session.isWanted = { [weak self] in self?.listeners.isEmpty == false }
            session.handler = { [weak self] in self?.handle($0) }
        }

        /// Calls `wake` at each message on `channel`. Also calls it when the subscription begins or begins again, because a
        /// message may have been missed before.
        func listen(_ owner: AnyObject, to channel: String, _ wake: @escaping (RedisLeaseMessage) -> Void) {
            let isFirst = listeners[channel] == nil
            listeners[channel, default: [:]][ObjectIdentifier(owner)] = wake
            if session.isReady {
                if isFirst { session.send(["SUBSCRIBE", channel].map { Array($0.utf8) }) }
            } else {
                session.open()
            }
        }

        func leave(_ owner: AnyObject, _ channel: String) {
            listeners[channel]?[ObjectIdentifier(owner)] = nil
            guard listeners[channel]?.isEmpty == true else { return }
            listeners[channel] = nil
            if session.isReady { session.send(["UNSUBSCRIBE", channel].map { Array($0.utf8) }) }
        }

        func close() {
            session.close()
            listeners = [:]
        }

        private func handle(_ event: RedisSession.Event) {
            switch event {
            case .ready:
                for channel in listeners.keys { session.send(["SUBSCRIBE", channel].map { Array($0.utf8) }) }
            case .reply(let reply):
                session.resetFailures()
                let words = reply.list
                guard words.count == 3, let kind = words[0].text, let channel = words[1].text else { return }
                guard kind == "message" || kind == "subscribe", let listeners = listeners[channel] else { return }
                let word = kind == "message" ? words[2].text.flatMap(RedisLeaseMessage.init) ?? .free : .free
                for wake in Array(listeners.values) { wake(word) }
            case .down: break
            }
        }
    }
#endif
