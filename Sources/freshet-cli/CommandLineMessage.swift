import Freshet

extension HTTPClientError {
    /// The same error, with a recovery suggestion that names options and verbs.
    var phrasedAsOptions: HTTPClientError {
        var error = self
        error.recoverySuggestion = recoverySuggestion?.phrasedAsOptions
        if recoverySuggestion == .logInOrAllowMoreTime {
            // The interceptors of the command get credentials, and nothing else takes time.
            error.message.replace(
                "an interceptor, such as one that gets a credential", with: "the store of the credential or its refresh"
            )
        }
        // The suggestion of a refresh that failed begins with that of its own error.
        if code == .refreshFailed, let own = (underlying as? HTTPClientError)?.recoverySuggestion,
            let all = recoverySuggestion?.description, all.hasPrefix(own.description)
        {
            error.recoverySuggestion = .init("\(own.phrasedAsOptions)\(all.dropFirst(own.description.count))")
        }
        return error
    }
}

extension HTTPClientError {
    /// The error of a command that can't use what the user has given. Nothing has been sent.
    static func refusal(
        _ message: String, _ recoverySuggestion: RecoverySuggestion? = nil, code: Code = .invalidRequest
    ) -> HTTPClientError {
        HTTPClientError(
            code, phase: .preparing, message: message, recoverySuggestion: recoverySuggestion, isUnsent: true)
    }

    /// The error of a login that finds no credential in the store of `--from-store`.
    static func nothingToMove(from store: String, _ reason: String) -> HTTPClientError {
        .refusal(
            "--from-store \(store): \(reason)", "name another store, or \(RecoverySuggestion.logIn.phrasedAsOptions)",
            code: .loginRequired)
    }

    /// The description without its code.
    var explanation: String { String(description.dropFirst(code.rawValue.count + 2)) }
}

extension Error {
    /// The text of the error on the command line.
    var commandLineMessage: String { (self as? HTTPClientError).map { "\($0.phrasedAsOptions)" } ?? "\(self)" }
}

extension HTTPClientError.RecoverySuggestion {
    /// How a verb is told which certificates to trust. Those of a session have no option for it.
    private static var trustOption: String {
        ["login", "logout", "status"].contains(CommandArguments.all.first)
            ? "SSL_CERT_FILE=FILE in the environment" : "--cacert FILE"
    }

    /// Whether `--timeout` gives the requests of a login less than they have without it.
    private static var isLoginShortened: Bool {
        let limit = CommandArguments.value(of: "--timeout", in: CommandArguments.all).flatMap(Seconds.init(argument:))
        return limit.map { $0.duration < .seconds(60) } ?? false
    }

    /// The suggestion with the option of the command in place of the library's setting.
    var phrasedAsOptions: Self {
        switch self {
        case .sendBasic: "send them by Basic authentication, as -u does, or by a profile"
        case .allowMoreTime:
            // A logout has no such option, and that of a login can only shorten the time of a request.
            CommandArguments.all.first == "logout" || CommandArguments.all.first == "login" && !Self.isLoginShortened
                ? .tryAgainLater : "try again, or allow the request more time with --timeout SECONDS"
        // A person can't send the requests of these two. A code is good for one request, and a logout has emptied the store.
        case .sendAgainIfHarmless where CommandArguments.all.first == "login": "begin the login again"
        case .sendAgainIfHarmless where CommandArguments.all.first == "logout":
            "end the session at the server, or let it expire"
        case .logInOrAllowMoreTime:
            """
            \(HelperNotingCoding.waits.withLock { $0.longest }.map { "find out why \($0) does not respond" }
                ?? "look at freshet status --profile \(CommandArguments.profile)"), \
            or allow more time with --timeout SECONDS
            """
        case .sendFewerAtOnce:
            switch CommandArguments.all.first {
            case "run":
                "send fewer requests at once with --concurrency N, or let requests wait longer with --timeout SECONDS"
            case "bench": "send fewer requests at once with --concurrency N or --rate R"
            default: "send fewer requests at once, or let the request wait longer with --timeout SECONDS"
            }
        case .raiseBodyLimit: "allow more with --max-body BYTES, or use freshet get"
        case .raiseHeadLimit: "ask for a response with less in its head"
        case .raiseEventLimit: "ask for smaller events"
        case .raiseDecodingRatio, .disableCompression:
            CommandArguments.all.first == "run"
                ? "ask for the response without compression, with \"headers\": {\"Accept-Encoding\": \"identity\"} in the line"
                : "ask for the response without compression, with -H 'Accept-Encoding: identity'"
        case .overrideAddress: "check the name and the resolver, or set the address with --resolve HOST:PORT:ADDRESS"
        case .setClientIdentity: "give it with --cert FILE"
        case .trustAuthority: "trust its authority with \(Self.trustOption), if that is the right one"
        case .trustCertificate: "it is signed by itself: if it is the right one, trust it with \(Self.trustOption)"
        case .checkTrustRoots: "check --cacert FILE, or SSL_CERT_FILE"
        case .useHTTP1: "ask for HTTP/1.1 with --http1.1"
        case .allowMoreRefreshes:
            "check the clock and \"expired\" in the profile, or allow more refreshes with \"limit\" in its \"refresh\""
        case .provePossession: "set \"dpop\": true in \"refresh\" of the profile"
        case .allowPlainHTTP: "use https, or allow plain http there with \"allow_http\": true in the profile"
        case .logIn: "log in with freshet login --profile \(CommandArguments.profile)"
        case .logInAgain: "log in again with freshet login --profile \(CommandArguments.profile)"
        case .logInWithMore:
            "log in again with freshet login --profile \(CommandArguments.profile) --step-up --scope SCOPES"
        case .checkTokenScopes: "check \"scope\" in \"refresh\" of the profile"
        case .checkClientRights:
            "check what the server allows the client of \"client_id\" in \"refresh\" of the profile"
        case .checkTokenParameters:
            "check \"parameters\", \"resource\" and \"client_auth\" in \"refresh\" of the profile"
        case .checkGrant: "check \"grant\" and \"url\" in \"refresh\" of the profile"
        case .requestMoreScopes: "ask for what is missing with refresh.scope in the profile"
        default: self
        }
    }
}
