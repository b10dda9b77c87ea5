import FreshetAuth
import FreshetCore
import FreshetStoreTesting
import StoreKinds
import XCTest

@testable import FreshetSignIn

final class HelperCodingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func installedHelper(_ script: String) throws -> TestHelper {
        let helper = try TestHelper(script)
        helper.install()
        addTeardownBlock { helper.remove() }
        return helper
    }

    private func coding(_ script: String) throws -> HelperCoding {
        try HelperCoding(helper: installedHelper(script).name, server: "https://freshet.invalid/p")
    }

    private func record(_ accessToken: String, _ version: Int) -> StoredCredential {
        StoredCredential(credential: Credential(accessToken: accessToken), version: version)
    }

    /// A helper that keeps a part of each record with the token `long`.
    private let truncating = #"""
        case $1 in
        store) cat > "$0.new"
            grep -q long "$0.new" && echo '{"ServerURL": "s", "Secret": "{\"access_tok"}' > "$0.new"
            mv "$0.new" "$0.secret" ;;
        get) cat > /dev/null; test -f "$0.secret" && exec cat "$0.secret"
            echo "credentials not found in native keychain"; exit 1 ;;
        erase) rm "$0.secret" ;;
        esac
        """#

    /// A helper that fails leaves the old record. A helper that truncates a record is distinguished from one that keeps it.
    func testARecordThatAHelperDropsIsAStoreError() throws {
        let get = "get) cat > /dev/null; echo '{\"ServerURL\":\"s\",\"Secret\":\"{\\\"version\\\":1}\"}' ;;"
        for (store, sentence) in [
            ("exit 3", "store has failed with status 3"), ("cat > /dev/null; exit 0", "has not kept the whole record"),
        ] {
            let helper = try TestHelper("case $1 in store) \(store) ;; \(get) esac")
            helper.install()
            defer { helper.remove() }
            let coding = try HelperCoding(helper: helper.name, server: "s")
            let record = StoredCredential(credential: Credential(accessToken: "a"), version: 2)
            XCTAssertThrowsError(try coding.encode(record)) { error in
                XCTAssertTrue(error is StoreError && "\(error)".contains(sentence), "\(error)")
            }
            XCTAssertEqual(try coding.decodeMissing().version, 1)
        }
    }

    /// The login revoked the tokens of the record that the helper has.
    func testARecordThatCanNotBeReadBackCountsAsStored() throws {
        let coding = try coding(
            #"""
            case $1 in
            store) cat > "$0.secret"; touch "$0.locked" ;;
            get) cat > /dev/null; test -f "$0.locked" && { echo locked; exit 1; }; cat "$0.secret" ;;
            esac
            """#)
        XCTAssertNoThrow(try coding.encode(record("a", 1)))
        XCTAssertThrowsError(try coding.decodeMissing())
    }

    func testAHelperThatTruncatesARecordGetsTheOneBeforeBack() throws {
        let coding = try coding(truncating)
        _ = try coding.encode(record("a", 1))
        for _ in 0..<2 {
            XCTAssertThrowsError(try coding.encode(record("long", 2))) { error in
                XCTAssertTrue("\(error)".contains("has not kept the whole record; use another store"), "\(error)")
            }
            XCTAssertEqual(try coding.decodeMissing().credential?.accessToken, "a")
        }
    }

    func testAHelperThatTruncatesTheEarlierRecordTooIsReported() throws {
        let coding = try coding(
            #"""
            case $1 in
            store) test -f "$0.secret" || exec cat > "$0.secret"
                cat > /dev/null; echo '{"ServerURL": "s", "Secret": "{\"access_tok"}' > "$0.secret" ;;
            get) cat > /dev/null; test -f "$0.secret" && exec cat "$0.secret"
                echo "credentials not found in native keychain"; exit 1 ;;
            esac
            """#)
        _ = try coding.encode(record("a", 1))
        XCTAssertThrowsError(try coding.encode(record("b", 2))) { error in
            XCTAssertTrue("\(error)".contains("has lost the earlier one; use another store"), "\(error)")
        }
    }

    func testATruncatedFirstRecordDoesNotStay() throws {
        let coding = try coding(truncating)
        XCTAssertThrowsError(try coding.encode(record("long", 1))) { error in
            XCTAssertTrue("\(error)".contains("has not kept the whole record; use another store"), "\(error)")
        }
        XCTAssertEqual(try coding.decodeMissing(), .empty)
    }

    /// The read delayed the only record whose refresh token is not spent.
    func testAWriteUsesTheRecordThatItsTransactionHasRead() throws {
        let helper = try installedHelper(
            #"""
            echo $1 >> "$0.calls"
            case $1 in
            store) cat > "$0.new"
                grep -q long "$0.new" && echo '{"ServerURL": "s", "Secret": "{\"access_tok"}' > "$0.new"
                mv "$0.new" "$0.secret" ;;
            get) cat > /dev/null; test -f "$0.secret" && exec cat "$0.secret"
                echo "credentials not found in native keychain"; exit 1 ;;
            erase) rm "$0.secret" ;;
            esac
            """#)
        let coding = try HelperCoding(helper: helper.name, server: "s").forTransaction()
        XCTAssertEqual(try coding.decodeMissing(), .empty)
        _ = try coding.encode(record("a", 1))
        XCTAssertThrowsError(try coding.encode(record("long", 2)))
        let calls = try String(contentsOfFile: "\(helper.secret.dropLast(".secret".count)).calls", encoding: .utf8)
        XCTAssertEqual(
            calls.split(separator: "\n").joined(separator: " "), "get store get store get store get")
        XCTAssertEqual(try coding.decodeMissing().credential?.accessToken, "a")
    }

    /// An error of the first read was taken for a missing record, and the helper's record was erased.
    func testARecordThatAHelperCanNotReturnForAMomentIsNotErased() throws {
        let helper = try installedHelper(
            #"""
            case $1 in
            store) cat > "$0.new"; test -f "$0.fault" || mv "$0.new" "$0.secret" ;;
            get) cat > /dev/null; test -f "$0.fault" -a ! -f "$0.new" && exit 1; exec cat "$0.secret" ;;
            erase) rm "$0.secret" ;;
            esac
            """#)
        let coding = try HelperCoding(helper: helper.name, server: "s")
        _ = try coding.encode(record("a", 1))
        try "".write(
            toFile: "\(helper.secret.dropLast(".secret".count)).fault", atomically: true, encoding: .utf8)
        XCTAssertThrowsError(try coding.encode(record("b", 2))) { error in
            XCTAssertTrue("\(error)".contains("has not kept the whole record; use another store"), "\(error)")
        }
        XCTAssertEqual(try coding.decodeMissing().credential?.accessToken, "a")
    }

    func testATruncatedRecordOfAHelperWhoseEarlierRecordIsUnknownIsErased() throws {
        let coding = try coding(
            #"""
            case $1 in
            store) cat > /dev/null; echo '{"ServerURL": "s", "Secret": "{\"access_tok"}' > "$0.secret" ;;
            get) cat > /dev/null; test -f "$0.erased" && { echo "credentials not found in native keychain"; exit 1; }
                exec cat "$0.secret" ;;
            erase) touch "$0.erased" ;;
            esac
            """#)
        XCTAssertThrowsError(try coding.encode(record("a", 1))) { error in
            XCTAssertTrue("\(error)".contains("may have lost the earlier one; use another store"), "\(error)")
        }
        XCTAssertEqual(try coding.decodeMissing(), .empty)
    }

    /// The error named the file of the lock, and suggested to delete it.
    func testTheErrorOfAHelperNamesTheHelperAndTheRecord() throws {
        for (get, sentence) in [("exit 3", "get has failed with status 3"), ("echo x", "has returned no record")] {
            let helper = try installedHelper("cat > /dev/null; \(get)")
            let fixture = DirectoryFixture {
                try FileStore.helper(
                    helper.name, server: "https://freshet.invalid/p", path: "\($0)/marker", scheduler: $1)
            }
            defer { fixture.close() }
            let store = try fixture.makeStore()
            for _ in 0..<2 {
                let ending = Locked<Result<StoredCredential, any Error>?>(nil)
                let subscription = store.load().subscribe { event in ending.withLock { $0 = event } }
                XCTAssertTrue(fixture.wait { ending.withLock { $0 != nil } })
                subscription.dispose()
                guard case .failure(let error)? = ending.withLock({ $0 }) else { return XCTFail("it was read") }
                let message = "\(error)"
                XCTAssertTrue(
                    message.hasPrefix("the credential store helper:docker-credential-\(helper.name): "), message)
                XCTAssertTrue(message.contains(sentence), message)
                XCTAssertTrue(message.contains("https://freshet.invalid/p"), message)
                XCTAssertFalse(message.contains("marker"), message)
                try "marker\n".write(toFile: "\(fixture.directory)/marker", atomically: true, encoding: .utf8)
            }
        }
    }
}
