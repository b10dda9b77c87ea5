import XCTest

final class ProfileTests: XCTestCase {
    private let url = "http://127.0.0.1:1/"

    private func errorText(
        about configuration: String, profile: String = "p", environment: [String: String] = [:]
    ) throws -> String {
        let file = try temporaryFile(configuration, named: "config.json")
        let result = try freshet(
            "get", url, "--config", file, "--profile", profile, environment: environment)
        XCTAssertEqual(result.status, 1)
        XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
        return result.errorOutput
    }

    private func errorText(aboutProfile profile: String, environment: [String: String] = [:]) throws -> String {
        try errorText(about: #"{"profiles": {"p": \#(profile)}}"#, environment: environment)
    }

    func testAnUnreadableConfigurationIsReportedWithItsPath() throws {
        let result = try freshet("get", url, "--config", "/nowhere/config.json", "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: invalid_request: /nowhere/config.json: it can't be read"),
            result.errorOutput)
    }

    func testAConfigurationThatIsMissingIsReportedWithTheHelpThatShowsOne() throws {
        let folder = try temporaryDirectory().path
        let missing = try freshet("login", "--profile", "p", environment: ["FRESHET_CONFIG": "\(folder)/none.json"])
        XCTAssertEqual(
            missing.errorOutput,
            "freshet: invalid_request: \(folder)/none.json: it can't be read: No such file or directory; write it as "
                + "freshet help login shows, or name another with --config or FRESHET_CONFIG (preparing)\n")
        let bare = try errorText(about: #"{"p": {"origins": []}}"#)
        XCTAssertTrue(bare.contains(#"p is not within profiles; write {"profiles": {"p": {...}}}"#), bare)
        XCTAssertTrue(try errorText(about: "{}").contains("profiles is missing; add it as freshet help login shows"))
    }

    func testTheProfileInTheHelpOfALoginCanBeUsed() throws {
        let home = try temporaryDirectory().path
        for (verb, columns) in [(["help", "login"], "80"), (["login", "--help"], "200")] {
            let help = try freshet(verb, environment: ["COLUMNS": columns]).text
            let begin = try XCTUnwrap(help.range(of: "{\"profiles\""))
            let end = try XCTUnwrap(help.range(of: "}}}", range: begin.lowerBound..<help.endIndex))
            let file = try temporaryFile(String(help[begin.lowerBound..<end.upperBound]), named: "config.json")
            let result = try freshet(
                "login", "--profile", "api", "--config", file, "--access-token", "-", input: "a\n",
                environment: ["HOME": home])
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(result.objects.last?["profile"] as? String, "api")
        }
    }

    func testAConfigurationWithoutAProfileCausesANote() throws {
        let result = try freshet("get", url, "--config", "/nowhere/config.json")
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: note: --config is not used without --profile NAME\n"),
            result.errorOutput)
    }

    func testTheEnvironmentSetsThePathOfTheConfiguration() throws {
        let home = try temporaryDirectory().path
        for (environment, expected) in [
            (["FRESHET_CONFIG": "/nowhere/a"], "/nowhere/a:"),
            (["FRESHET_CONFIG": "", "XDG_CONFIG_HOME": home], "\(home)/freshet/config.json:"),
            (["XDG_CONFIG_HOME": home], "\(home)/freshet/config.json:"),
            (["XDG_CONFIG_HOME": "", "HOME": home], "\(home)/.config/freshet/config.json:"),
            (["XDG_CONFIG_HOME": "", "HOME": ""], "set HOME, or name the file with --config"),
        ] {
            let result = try freshet("get", url, "--profile", "p", environment: environment)
            XCTAssertTrue(result.errorOutput.contains(expected), result.errorOutput)
        }
    }

    func testAFileMayBeginWithAByteOrderMarkAndAPathOfALayerWithTheHome() throws {
        let home = try temporaryDirectory().path
        let profile = #"{"origins": ["https://h"], "store": "memory:", "cache": "~/c"}"#
        let error = try errorText(
            about: "\u{FEFF}{\"profiles\": {\"p\": \(profile)}}", environment: ["HOME": home])
        XCTAssertTrue(error.hasPrefix("freshet: connect: "), error)
        XCTAssertTrue(FileManager.default.fileExists(atPath: "\(home)/c"))
    }

    func testAPathWithoutAHomeAndAPathOfAnotherUserAreRefused() throws {
        for (member, home, reason) in [
            (#""store": "memory:", "cache": "~/c""#, "", "p.cache needs HOME, which is not set"),
            (#""store": "memory:", "hsts": "~ada/h""#, "/h", "p.hsts begins with ~ and no slash"),
            (#""store": "file:~/s""#, "home", "p.store needs HOME"),
            (#""store": "sealed:/s?key=file:~ada/k""#, "/h", "p.store begins with ~"),
        ] {
            let error = try errorText(
                about: "{\"profiles\": {\"p\": {\"origins\": [\"https://h\"], \(member)}}}", environment: ["HOME": home]
            )
            XCTAssertTrue(error.contains(reason), error)
            XCTAssertTrue(error.hasSuffix("; write the whole path (preparing)\n"), error)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: "~"))
    }

    func testInvalidJSONIsReportedWithItsLine() throws {
        let text = try errorText(about: "{\n \"profiles\": {\n  nonsense s3cret")
        XCTAssertTrue(text.contains("config.json: it is no JSON"), text)
        XCTAssertTrue(text.contains("at line 3"), text)
    }

    func testAMisspelledObjectOfProfilesIsReportedWithTheRightName() throws {
        let text = try errorText(about: #"{"profils": {"p": {}}}"#)
        XCTAssertTrue(text.contains("profils is unknown; did you mean profiles?"), text)
        XCTAssertTrue(try errorText(about: "{}").contains("profiles is missing"))
    }

    func testAnUnknownProfileIsReportedWithTheKnownOnes() throws {
        let text = try errorText(about: #"{"profiles": {"a": {}, "b": {}}}"#)
        XCTAssertTrue(text.contains("there is no profile p; add it, or name one that is there: a, b"), text)
    }

    func testAMissingOrInvalidValueIsReportedWithItsKey() throws {
        let origins = #""origins": ["https://h"]"#
        let start = #"{"origins": ["https://h"], "store": "memory:""#
        let oauth = #""refresh": {"url": "https://h/t", "client_id": "s3cret""#
        for (profile, expected) in [
            (#"{"store": "memory:"}"#, "profiles.p.origins is missing"),
            (start + #", "scheme": "Bearer s3cret"}"#, "profiles.p.scheme is not one word"),
            (#"{"origins": [], "store": "memory:"}"#, "profiles.p.origins is missing"),
            (#"{"origins": ["h s3cret"], "store": "memory:"}"#, "profiles.p.origins[0]: the URL is not absolute"),
            (#"{"origins": ["https://*.h"], "store": "memory:"}"#, "profiles.p.origins[0] has a *"),
            ("{\(origins)}", "profiles.p.store is missing"),
            ("{\(origins), \"store\": 5}", "profiles.p.store is not a string"),
            (
                #"{"origins": ["https://h"], "store": "memory:", "headers": {"A": 1}}"#,
                "profiles.p.headers.A is not a string"
            ),
            ("[\"s3cret\"]", "profiles.p is not an object"),
            (start + #", "expired": {"status": "s3cret"}}"#, "profiles.p.expired.status is not a whole number"),
            (start + #", "expired": {"status": [4010]}}"#, "profiles.p.expired.status is no HTTP status"),
            (start + #", "expired": {"body": {"equals": []}}}"#, "profiles.p.expired.body.pointer is missing"),
            (
                start + #", "expired": {"body": {"pointer": "a"}}}"#,
                "profiles.p.expired.body.pointer: \"a\" is no JSON Pointer"
            ),
            (start + #", "expired": {"body": {"pointer": "/a"}}}"#, "profiles.p.expired.body.equals is missing"),
            (
                start + #", "refresh": {"client_id": "c"}}"#,
                "profiles.p.refresh.url is missing; add it, or name the authorization server in profiles.p.login"
            ),
            (
                "\(start), \(oauth), \"parameters\": {\"grant_type\": \"s3cret\"}}}",
                "profiles.p.refresh.parameters.grant_type is a field that the command sends itself"
            ),
            (
                "\(start), \(oauth), \"scope\": \"a\", \"parameters\": {\"scope\": \"s3cret\"}}}",
                "profiles.p.refresh.parameters.scope is a field that the command sends itself; use profiles.p.refresh.scope"
            ),
            (start + #", "refresh": {"url": "s3cret", "client_id": "c"}}"#, "profiles.p.refresh.url: the URL is not"),
            (start + #", "refresh": {"url": "https://h/t"}}"#, "profiles.p.refresh.client_id is missing"),
            (start + #", "login": {"callback_port": [1, 2]}}"#, "profiles.p.login.callback_port is no port; use one"),
            (start + #", "login": {"issuer": "s3cret:1"}}"#, "profiles.p.login.issuer: the URL is not absolute"),
            (start + #", "login": {"discover": "s3cret"}}"#, "profiles.p.login.discover: the URL is not absolute"),
            (
                start + #", "refresh": {"url": "https://h/t", "client_id": ""}}"#,
                "profiles.p.refresh.client_id is empty"
            ),
            (
                start + #", "refresh": {"url": "https://h/t", "client_id": "c", "client_secret": ""}}"#,
                "profiles.p.refresh.client_secret is empty"
            ),
            (start + #", "headers": {"A": "${s3cret"}}"#, "profiles.p.headers.A has a ${ without the name"),
            ("\(start), \(oauth), \"grant\": \"password\"}}", "profiles.p.refresh.grant is unknown"),
            ("\(start), \(oauth), \"limit\": 0}}", "profiles.p.refresh.limit is not a whole number above 0"),
            (
                start + #", "refresh": {"url": "https://h/t", "json": {}}}"#,
                "profiles.p.refresh.access_token is missing"
            ),
        ] {
            let text = try errorText(aboutProfile: profile)
            XCTAssertTrue(text.hasPrefix("freshet: invalid_request: "), text)
            XCTAssertTrue(text.contains(expected), "\(profile): \(text)")
        }
    }

    func testAKeyThatIsUnknownIsAnErrorThatNamesTheNearestOne() throws {
        let start = #"{"origins": ["https://h"], "store": "memory:""#
        let refresh = #""refresh": {"url": "https://h/t", "client_id": "c""#
        for (rest, expected) in [
            (#", "expird": {}}"#, "profiles.p.expird is unknown; did you mean expired?"),
            (#", "expired": {"state": 1}}"#, "profiles.p.expired.state is unknown; did you mean status?"),
            (", \(refresh), \"scopes\": \"a\"}}", "profiles.p.refresh.scopes is unknown; did you mean scope?"),
            (#", "expired": {"temperature": 1}}"#, "profiles.p.expired.temperature is unknown; use one of status"),
        ] {
            let text = try errorText(aboutProfile: start + rest)
            XCTAssertTrue(text.contains(expected), text)
        }
    }

    func testTheClientAuthenticationMustMatchTheSecret() throws {
        let start =
            #"{"origins": ["https://h"], "store": "memory:", "refresh": {"url": "https://h/t", "client_id": "c""#
        for (rest, expected) in [
            (#", "client_auth": "digest"}}"#, "profiles.p.refresh.client_auth is unknown; use basic"),
            (#", "client_auth": "post"}}"#, "profiles.p.refresh.client_secret is missing"),
            (
                #", "client_secret": "s3cret", "client_auth": {"jwt_file": "f"}}}"#,
                "profiles.p.refresh.client_secret and an assertion in client_auth are two proofs"
            ),
            (#", "client_auth": {"jwt_fil": "f"}}}"#, "did you mean jwt_file?"),
        ] {
            let text = try errorText(aboutProfile: start + rest)
            XCTAssertTrue(text.contains(expected), text)
        }
    }

    func testAMissingVariableIsReportedWithItsName() throws {
        for value in ["$NO_SUCH_KEY", "x-${NO_SUCH_KEY}-y"] {
            let text = try errorText(
                aboutProfile: #"{"origins": ["https://h"], "store": "memory:", "headers": {"A": "\#(value)"}}"#)
            XCTAssertTrue(text.contains("profiles.p.headers.A needs the environment variable NO_SUCH_KEY"), text)
        }
    }

    func testAnUnknownStoreIsAStoreError() throws {
        for (store, expected) in [
            ("keyring:", "keyring:NAME"), ("cellar:s3cret", "file:PATH"), ("sealed:s", "key"), ("helper:x", "helper:"),
        ] {
            let text = try errorText(aboutProfile: #"{"origins": ["https://h"], "store": "\#(store)"}"#)
            XCTAssertTrue(text.hasPrefix("freshet: store: "), text)
            XCTAssertTrue(text.contains(expected), text)
        }
    }

    func testANameThatNoStoreCanHaveIsReportedAsOne() throws {
        for store in [
            "keyring:my key", "keyring:ü", "keyring:a/b", "helper:docker-credential-a/b",
            "sealed:s?key=credential:a/b",
        ] {
            let text = try errorText(aboutProfile: #"{"origins": ["https://h"], "store": "\#(store)"}"#)
            XCTAssertTrue(text.hasPrefix("freshet: store: "), text)
            XCTAssertTrue(text.contains("use ASCII letters, digits, -, _ and ."), text)
            XCTAssertFalse(text.contains("no known kind"), text)
        }
    }

    func testAKeyThatOccursTwiceIsReported() throws {
        let profile = #"{"origins": ["https://h"], "store": "memory:"}"#
        for (configuration, expected) in [
            ("{\"profiles\": {\"p\": \(profile), \"p\": {}}}", "profiles.p occurs twice"),
            ("{\"profiles\": {\"p\": \(profile)}, \"profiles\": {}}", "profiles occurs twice"),
            (
                #"{"profiles": {"p": {"origins": ["https://h"], "store": "memory:", "store": "s3cret"}}}"#,
                "profiles.p.store occurs twice"
            ),
        ] {
            let text = try errorText(about: configuration)
            XCTAssertTrue(text.contains("config.json: \(expected); leave one out"), text)
        }
    }
}
