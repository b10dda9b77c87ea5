import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class AuthenticationChallengeTests: XCTestCase {
    private func parse(_ fields: String...) -> [AuthenticationChallenge] {
        var headers = HTTPFields()
        for field in fields { headers.append(HTTPField(name: .wwwAuthenticate, value: field)) }
        return AuthenticationChallenge.all(in: headers)
    }

    private func challenge(
        _ scheme: String, _ token: String? = nil, _ parameters: KeyValuePairs<String, String> = [:]
    ) -> AuthenticationChallenge {
        var challenge = AuthenticationChallenge(scheme: scheme)
        challenge.token68 = token
        for (name, value) in parameters { challenge.addParameter(name, value) }
        return challenge
    }

    /// The example of RFC 9110 section 11.6.1.
    func testTheExampleOfTheStandardIsParsed() {
        XCTAssertEqual(
            parse(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#),
            [
                challenge("Basic", nil, ["realm": "simple"]),
                challenge("Newauth", nil, ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            ])
    }

    func testChallengesInOneFieldAndInSeveralAreParsed() {
        let two = [challenge("Negotiate", "YWJj/+=="), challenge("bearer", nil, ["error": "invalid_token"])]
        XCTAssertEqual(parse(#"Negotiate YWJj/+==, Bearer error="invalid_token""#), two)
        XCTAssertEqual(parse("Negotiate YWJj/+==", #"BEARER ERROR = "invalid_token""#), two)
        XCTAssertEqual(parse(" ,,\tNegotiate   YWJj/+== , ,Bearer\terror\t=invalid_token, "), two)
    }

    func testSchemesWithoutParametersAreParsed() {
        XCTAssertEqual(parse("Negotiate"), [challenge("negotiate")])
        XCTAssertEqual(
            parse("Negotiate, NTLM,Bearer "), [challenge("negotiate"), challenge("ntlm"), challenge("bearer")])
        XCTAssertEqual(parse("", " ", ",", ", ,"), [])
    }

    func testQuotedStringsContainCommasEscapesAndSchemes() {
        XCTAssertEqual(
            parse(#"Bearer realm="a, Basic realm=\"b\", \\", scope="x y", error="invalid_token", charset="""#),
            [
                challenge(
                    "bearer", nil,
                    ["realm": #"a, Basic realm="b", \"#, "scope": "x y", "error": "invalid_token", "charset": ""])
            ])
    }

    func testTheFirstOfTwoParametersWithOneNameIsUsed() {
        XCTAssertEqual(parse(#"Bearer error=first, Error="second""#).first?["eRRor"], "first")
    }

    /// These fields are malformed in ways that servers really use.
    func testMalformedPartsAreSkipped() {
        let bearer = [challenge("bearer", nil, ["realm": "r", "error": "invalid_token"])]
        XCTAssertEqual(parse(#"Bearer realm="r" error="invalid_token""#), bearer, "no comma")
        XCTAssertEqual(parse(#"Bearer realm="r", error="invalid_token", error_description="cut"#), bearer, "no end")
        XCTAssertEqual(parse(#"Bearer realm="r", ???, =x, error=invalid_token"#), bearer, "junk")
        XCTAssertEqual(
            parse("Bearer realm=r, error_description=Token has expired, error=invalid_token").first?["error"],
            "invalid_token", "no quotation marks")
        XCTAssertEqual(parse(#"realm="nobody's", Bearer"#), [challenge("bearer")])
        XCTAssertEqual(parse("Bearer realm="), [challenge("bearer", "realm=")])
        XCTAssertEqual(parse(#"Bearer realm=@, error=x"#).first?["error"], "x")
        XCTAssertEqual(parse(#"Bearer "quoted, not a name", error=x"#).first?["error"], "x")
    }

    /// Challenges that follow the grammar, in any spelling that it allows, are parsed to what was written.
    func testAnyValidSpellingIsParsedToTheSameChallenges() {
        var random = Lottery(seed: 20_261_122)
        for _ in 0..<3000 {
            var meant: [AuthenticationChallenge] = []
            var fields: [String] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let challenges = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.challenge() }
                meant += challenges.map(\.meant)
                fields.append(random.list(challenges.map(\.written)))
            }
            var headers = HTTPFields()
            for field in fields { headers.append(HTTPField(name: .wwwAuthenticate, value: field)) }
            XCTAssertEqual(AuthenticationChallenge.all(in: headers), meant, "\(fields)")
        }
    }

    /// Any input is parsed soon, and no parsed name or scheme is ever empty.
    func testAnyTextIsParsedWithoutATrap() {
        var random = Lottery(seed: 7)
        let pieces = [
            "Bearer", "Basic", " ", "\t", ",", "=", "\"", "\\", "error", "invalid_token", "a", "==", "\u{E9}", ";",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            var parser = AuthenticationChallengeParser(text)
            for challenge in parser.challenges() { XCTAssertFalse(challenge.scheme.isEmpty, text) }
        }
    }

    /// Some of these fields make a parser look ahead again and again.
    func testParsingTimeIsProportionalToTheLength() {
        func time(_ piece: String, _ length: Int) -> Duration {
            let text = "Bearer " + String(repeating: piece, count: length / piece.utf8.count)
            // The least of several times, because the machine may be busy.
            return (0..<3).map { _ in
                ContinuousClock().measure {
                    var parser = AuthenticationChallengeParser(text)
                    XCTAssertLessThanOrEqual(parser.challenges().count, length, piece)
                }
            }.min()!
        }
        for piece in ["a ", "a=", "a=\"", "a,", "\"", "a a=\"\\\" ", "= ", "a =,", "a==,"] {
            XCTAssertLessThan(time(piece, 40_000), max(time(piece, 1000), .milliseconds(10)) * 100, piece)
        }
    }
}

/// Random challenges. The same seed gives the same ones.
private struct Lottery: RandomNumberGenerator {
    private var chance: SplitMix64

    init(seed: UInt64) { chance = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { chance.next() }

    private mutating func word(_ letters: String, _ length: ClosedRange<Int>) -> String {
        String((0..<Int.random(in: length, using: &self)).map { _ in letters.randomElement(using: &self)! })
    }

    private mutating func blanks(_ atLeast: Int = 0) -> String { word(" \t", atLeast...2) }

    mutating func list(_ elements: [String]) -> String {
        var text = ""
        for (index, element) in elements.enumerated() {
            text += index == 0 ? "" : blanks() + "," + (Bool.random(using: &self) ? " ," : "")
            text += blanks() + element
        }
        return text + blanks()
    }

    mutating func challenge() -> (meant: AuthenticationChallenge, written: String) {
        let scheme = word("aB-.9", 1...6)
        var meant = AuthenticationChallenge(scheme: scheme)
        switch Int.random(in: 0...3, using: &self) {
        case 0: return (meant, scheme)
        case 1:
            let token = word("aZ0-._~+/", 1...8) + word("=", 0...2)
            meant.token68 = token
            return (meant, scheme + " " + token)
        default:
            let parameters = (0..<Int.random(in: 1...3, using: &self)).map { index in
                let (value, written) = value()
                let name = word("nAmE", 1...4) + "\(index)"
                meant.addParameter(name, value)
                return name + blanks() + "=" + blanks() + written
            }
            var text = scheme + blanks(1) + parameters[0]
            for parameter in parameters.dropFirst() { text += blanks() + "," + blanks() + parameter }
            return (meant, text)
        }
    }

    private mutating func value() -> (meant: String, written: String) {
        if Bool.random(using: &self) {
            let token = word("tOk3n!~", 1...5)
            return (token, token)
        }
        let text = word("q, =\"\\\tB", 0...6)
        let written = text.map { character in
            character == "\"" || character == "\\" || Bool.random(using: &self) ? "\\\(character)" : "\(character)"
        }
        return (text, "\"" + written.joined() + "\"")
    }
}
