#if Redis
    import FreshetAuth
    import FreshetCore

    /// Why a command has no result.
    enum RedisFailure: Error, Sendable, Equatable {
        /// The server can't be reached.
        case away(String)
        /// The server can be reached, but can't work for now.
        case busy(String)
        /// The server replied with an error that has this code.
        case refused(code: String)
        /// The server replied with something that Redis does not send.
        case senseless
        /// A reply is longer than any of this module's commands should have.
        case tooLong
        /// The loop has ended.
        case ended
    }

    extension RedisFailure {
        /// Whether the failure may pass by itself, so that a store can continue without the server meanwhile.
        var isAbsence: Bool {
            switch self {
            case .away, .busy: true
            case .refused, .senseless, .tooLong, .ended: false
            }
        }

        /// Whether `code` is that of a server that starts or is busy. Such an error passes by itself.
        static func isPassing(_ code: String) -> Bool {
            ["LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "MAXCLIENTS"].contains(code)
        }

        static func errorReply(_ code: String) -> RedisFailure {
            switch code {
            case "LOADING": .busy("it is loading its data")
            case "BUSY": .busy("it runs a script that does not end")
            case "MASTERDOWN": .busy("it has lost its primary")
            case "MAXCLIENTS": .busy("it has no room for another client; raise its maxclients")
            case _ where isPassing(code): .busy("it responded with \(code)")
            default: .refused(code: code)
            }
        }

        func error(at server: RedisServer, key: String) -> StoreError {
            let place = "the credential store \(key) at \(server)"
            return switch self {
            case .away(let reason):
                StoreError("can't reach \(place): \(reason); check that Redis runs there, and try again")
            case .busy(let reason): StoreError("can't use \(place) for now: \(reason); try again later")
            case .senseless: StoreError("\(place) can't be used: the server there is no Redis; check the address")
            case .tooLong:
                StoreError(
                    "\(place) can't be used: a key on this connection has a value that is too long for a credential;"
                        + " find out what else writes to the key, or use another")
            case .ended: StoreError("\(place) was closed with its loop")
            case .refused(let code):
                StoreError(
                    "\(place) can't be used: Redis responded with \(code); \(Self.recoverySuggestion(for: code))")
            }
        }

        private static func recoverySuggestion(for code: String) -> String {
            switch code {
            case "NOAUTH", "WRONGPASS": "give its user and password in the store's URL"
            case "NOPERM":
                "give its user the commands eval, get, set, del, pttl, pexpire, time, ping, select, publish, subscribe and"
                    + " unsubscribe on this key, its lock and the lock's channel"
            case "READONLY": "it is a replica; name the primary"
            case "OOM": "it has no memory left; give it more, or a policy that evicts other keys"
            case "MISCONF": "it can't write to its disk; look into its log"
            case "NOREPLICAS": "too few of its replicas are connected; look into its log"
            case "DENIED": "it runs in protected mode; set a password there, and give it in the store's URL"
            case "WRONGTYPE": "the key holds something else; use another"
            case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
                "it is a cluster, which is not supported; name a single server"
            default: "check the database and the password in the store's URL, and the server's log"
            }
        }
    }
#endif
