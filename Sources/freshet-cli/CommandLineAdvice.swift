/// Advice about a command line that can't be parsed, for example for an option of curl that the command does not have.
enum CommandLineAdvice {
    /// The advice for a second address, or for the option that `message` calls unknown; `nil` if curl has no such option.
    static func advice(about message: String) -> String? {
        let verb = message.firstMatch(of: /Usage: freshet ([a-z]+)/).map { String($0.1) } ?? ""
        if verb.isEmpty, message.contains(/Unknown option '--(config|profile)/) {
            return "options come after the verb, as in freshet get --profile NAME URL"
        }
        return argumentAdvice(about: message, of: verb)
            ?? optionAdvice(about: message, of: verb)
            ?? valueAdvice(about: message)
            ?? table.first { $0.spellings.contains { message.contains("Unknown option '\($0)'") } }
            .map { "In place of curl's \($0.spellings.joined(separator: ", ")): \($0.advice)" }
    }

    /// The advice for a word that is neither an option nor its value, such as a second address.
    private static func argumentAdvice(about message: String, of verb: String) -> String? {
        guard message.prefixMatch(of: /(Error: )?(Unexpected argument|[0-9]+ unexpected arguments)/) != nil else {
            return nil
        }
        let words = JoinedOptions.split(CommandArguments.all)
        if verb == "get",
            let method = zip(words, words.dropFirst()).first(where: {
                methods.contains($0.1) && !JoinedOptions.needsValue($0.0, of: verb)
            })?.1
        {
            return "write freshet get -X \(method) URL"
        }
        switch verb {
        case "run": return "freshet run < FILE reads requests from standard input; freshet get URL sends one"
        case "login" where CommandArguments.all.contains("-"):
            return "With --access-token - and --refresh-token -, standard input has the tokens, a line each"
        case "login", "logout", "status": return "Name the profile with --profile NAME"
        case "bench" where message.contains("Unexpected argument '{"):
            return "--json of bench asks for a line of JSON; send a body with -d, and its Content-Type with -H"
        case _ where message.contains(/nexpected arguments?:? 'http/) && !hasSplitValue(CommandArguments.all):
            return "freshet run sends requests to several addresses"
        case _ where CommandArguments.all.contains("--"):
            return "No word behind -- is an option; write options before it"
        default: return surplusAdvice(about: CommandArguments.all, of: verb)
        }
    }

    /// The advice for a word that is no second address: a part of a value, a field or data as other clients write them, or the
    /// name of a profile.
    private static func surplusAdvice(about words: [String], of verb: String) -> String {
        let quotes = "Put quotation marks around a value that has spaces"
        let surplus = surplusWords(JoinedOptions.split(words))
        guard let first = surplus.first, !first.followsValue, !hasSplitValue(words) else { return quotes }
        if first.word.contains(where: { "=:".contains($0) }) {
            return
                "Write a field of the head as -H 'Name: value', and data with -d\(verb == "bench" ? "" : " or --json")"
        }
        return surplus.count == 1 ? "\(quotes), and the name of a profile as --profile NAME" : quotes
    }

    /// The words behind the verb and the address that are neither options nor their values, and whether each follows a value that
    /// it could be a part of.
    private static func surplusWords(_ words: [String]) -> [(word: String, followsValue: Bool)] {
        var found: [(word: String, followsValue: Bool)] = []
        for (index, word) in words.enumerated() {
            let before = words[..<index].suffix(2)
            if word.hasPrefix("-") || before.last.map({ JoinedOptions.needsValue($0, of: words.first) }) == true {
                continue
            }
            let isSplit =
                before.count == 2 && JoinedOptions.needsValue(before.first ?? "", of: words.first)
                && !["-X", "--request"].contains(before.first) && before.last?.contains(" ") == false
            found.append((word, isSplit))
        }
        return Array(found.dropFirst(2))
    }

    /// Whether a value without its quotation marks stands before the address, or before a value such as that of `Origin:`.
    private static func hasSplitValue(_ words: [String]) -> Bool {
        let words = JoinedOptions.split(words)
        let pairs = Array(zip(words, words.dropFirst()))
        if pairs.contains(where: { ["-H", "--header"].contains($0.0) && $0.1.hasSuffix(":") }) { return true }
        let first = pairs.first { !$0.1.hasPrefix("-") && !JoinedOptions.needsValue($0.0, of: words.first) }?.1
        return first.map { !$0.contains { ".:".contains($0) } && !$0.hasPrefix("localhost") } ?? false
    }

    /// The advice for an option that other verbs or other load generators have.
    private static func optionAdvice(about message: String, of verb: String) -> String? {
        if verb == "run",
            let option = message.firstMatch(
                of: /Unknown option '(-[HXdAeubI]|--header|--request|--data|--user-agent|--user|--cookie|--json)'/)
        {
            return "In place of \(option.1): each line of run has its own method, headers and body, as in "
                + #"{"url": "URL", "method": "POST", "headers": {"Name": "value"}, "body": "text"}"#
        }
        if ["run", "events", "bench"].contains(verb), message.contains("Unknown option '-o'") {
            return verb == "bench"
                ? "bench writes a page with --report FILE.html"
                : "\(verb) writes to standard output; redirect it with > FILE"
        }
        if verb == "events", message.contains("Unknown option '-v'") || message.contains("Unknown option '-i'") {
            return "freshet get -i URL shows the head of the response"
        }
        // `get` and `events` have these, and the other verbs do not send the requests of a person.
        if ["run", "bench"].contains(verb),
            message.contains(/Unknown option '(-[sSL]+|--silent|--show-error|--location)'/)
        {
            return "leave it out; the progress is shown on a terminal alone, and redirects are followed without it"
        }
        guard verb == "bench" else { return nil }
        return benchTable.first { message.contains("Unknown option '\($0.spelling)") }?.advice
    }

    /// The advice for a value that an option does not take.
    private static func valueAdvice(about message: String) -> String? {
        if message.contains("is invalid for"), message.contains(" <seconds>'") {
            return
                "Write seconds as a number over 0, up to 1000000000, without a unit: 3 or 0.5; no limit is a large number"
        }
        return nil
    }

    static let methods: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    /// The standard method that is meant by one such as `post`; `nil` if `method` is a standard one itself, or none.
    static func standardMethod(meantBy method: String) -> String? {
        let upper = method.uppercased()
        return methods.contains(upper) && upper != method ? upper : nil
    }

    /// The options of other load generators, and some of curl.
    private static let benchTable: [(spelling: String, advice: String)] = [
        ("-t", "bench sends from N threads with --loops N"),
        ("--threads", "bench sends from N threads with --loops N"),
        ("-z", "bench sends for a time with --duration SECONDS"),
        ("--connections", "bench sends N requests at once with --concurrency N"),
        ("--latency", "leave it out; bench always shows the latencies"),
        ("-q", "bench sends at a rate with --rate REQUESTS_PER_SECOND"),
        ("-R", "bench sends at a rate with --rate REQUESTS_PER_SECOND"),
    ]

    static let table: [(spellings: [String], advice: String)] = [
        (["-b", "--cookie"], "send a cookie with -H 'Cookie: NAME=VALUE'"),
        (["-c", "--cookie-jar"], "the command keeps no cookies; a profile keeps tokens"),
        (["-C", "--continue-at"], "freshet get --resume goes on with a download"),
        (["-D", "--dump-header"], "freshet get -i writes the head before the body, and freshet run writes it as JSON"),
        (["-J", "--remote-header-name"], "freshet get -o FILE names the file"),
        (["-K"], "profiles hold what is sent to a server; see --profile"),
        (["-n", "--netrc", "--netrc-file", "--netrc-optional"], "a profile holds credentials, or -u USER:PASSWORD"),
        (["-r", "--range"], "ask for a part with -H 'Range: bytes=FIRST-LAST'"),
        (
            ["-w", "--write-out"],
            "freshet run writes status and duration as JSON: echo '{\"url\": \"URL\"}' | freshet run"
        ),
        (["-Z", "--parallel"], "freshet run sends many requests at once"),
        (["-0", "--http1.0", "--http0.9", "--http3"], "HTTP/1.1 and HTTP/2 are spoken; see --http1.1 and --http2"),
        (["--basic", "--digest", "--ntlm", "--negotiate", "--anyauth"], "-u is Basic alone"),
        (["--oauth2-bearer"], "send a token with -H 'Authorization: Bearer TOKEN', or keep it fresh with --profile"),
        (
            ["--location-trusted"],
            "a redirect to another origin gets no Authorization and no cookie; see the origins of --profile"
        ),
        (["--form-string"], "freshet get and events have -F NAME=VALUE"),
        (["--retry-all-errors"], "--retry-all lets --retry send requests of every method again"),
        (["--retry-delay", "--retry-max-time"], "--retry waits as the server says; --timeout limits it"),
        (["--retry-connrefused"], "leave it out; --retry tries again after a connection that failed, too"),
        (["--max-filesize"], "freshet run --max-body BYTES limits the body of a response"),
        (["-z", "--time-cond"], "ask with -H 'If-Modified-Since: DATE'"),
        (["-R", "--remote-time"], "freshet get -i writes Last-Modified; touch -d gives a file that time"),
        (["--capath"], "--cacert FILE names the trust roots"),
        (["-V"], "freshet --version writes the version"),
        (["--path-as-is"], "none; the dot segments of a path are removed"),
        (["--limit-rate"], "standard output holds back the server: pipe it through a program that limits the rate"),
        (["--rate"], "--rate-limit RATE limits how often requests are sent"),
        (["--raw"], "ask for a body without compression with -H 'Accept-Encoding: identity'"),
        (["--url"], "write the address as a word of its own"),
        (["--next", "-:"], "freshet run sends several requests"),
        (["--url-query"], "freshet get -G with --data-urlencode adds to the query"),
        (["--fail-with-body", "--globoff", "-g", "--disable", "-q"], "leave it out; that is the rule"),
        (["--progress-bar", "-#"], "leave it out; freshet get -o FILE shows the progress on a terminal"),
        (["--no-progress-meter"], "freshet get -s writes no progress"),
        (
            ["--proto", "--proto-redir", "--tlsv1.2", "--tlsv1.3", "--ciphers", "--tls13-ciphers"],
            "leave it out; only http and https are spoken, with TLS 1.2 or later"
        ),
        (
            ["--max-redirs"],
            "10 redirects are followed at most, and none with --no-location; --record FILE.har shows every hop"
        ),
        (["--ipv4", "-4", "--ipv6", "-6", "--connect-to"], "name the address with --resolve HOST:PORT:ADDRESS"),
        (["--proxy-user", "-U"], "write user and password into the address of --proxy"),
        (
            ["--socks5", "--socks5-hostname"],
            "--proxy socks5://HOST:PORT, or socks5h:// to have the proxy resolve names"
        ),
        (["--pinnedpubkey"], "--pinned-key has the hash of the key"),
        (
            ["--output-dir", "--create-dirs"],
            "freshet get -o FILE names the file with its folder; create that with mkdir -p first"
        ),
        (["--post301", "--post302", "--post303"], "none; redirects follow the Fetch standard"),
        (["--etag-save", "--etag-compare"], "--cache FOLDER keeps responses, and asks whether they are current"),
        (["--speed-limit", "--speed-time"], "--timeout SECONDS limits the whole request"),
        (["--stderr"], "redirect standard error with 2> FILE"),
        (["--trace", "--trace-ascii"], "freshet get -v shows each step, without secrets"),
    ]
}
