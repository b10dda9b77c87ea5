import CredentialStoreConformance
import FoundationEssentials
import FreshetCore
import FreshetHTTP
import FreshetTesting
import Glibc
import XCTest

@testable import FreshetAuth

final class FileStoreTests: XCTestCase {
    private var resources = 0
    private var directory = ""
    private var path: String { directory + "/sub/api.json" }
    private let scheduler = GateBench.clock()

    override func setUp() {
        resources = Resources.total
        var template = Array("/tmp/freshet-store-XXXXXX".utf8CString)
        directory = String(cString: mkdtemp(&template))
    }

    override func tearDown() {
        scheduler.start()
        try? FileManager.default.removeItem(atPath: directory)
        XCTAssertEqual(Resources.total, resources)
    }

    private func store() -> FileStore { FileStore(path: path, scheduler: scheduler) }

    private func get<Value>(_ single: Single<Value>) throws -> Value {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        scheduler.start()
        return try XCTUnwrap(ending.value).get()
    }

    /// What is stored, after one whole transaction.
    private func save(_ record: StoredCredential, in store: FileStore) throws {
        let lease = try get(store.lock())
        try get(lease.save(record))
        lease.unlock()
    }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        mkdir(directory + "/sub", 0o700)
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        chmod(path, mode)
    }

    func testItKeepsWhatEveryStorePromises() {
        XCTAssertEqual(brokenPromises { FilePlace() }, [])
    }

    func testARecordThatIsTooLongToBeReadAgainIsNotWritten() throws {
        let lease = try get(store().lock())
        let long = Credential(accessToken: String(repeating: "a", count: 1 << 20))
        XCTAssertThrowsError(try get(lease.save(StoredCredential(credential: long, version: 1)))) { error in
            XCTAssertTrue("\(error)".contains("too long"), "\(error)")
        }
        XCTAssertEqual(try get(store().load()), .empty)
    }

    // A directory for all, where each may replace what is his alone. The lock tells before a refresh token is spent.
    func testTheLockIsNotGivenToWhoMayNotReplaceTheFile() throws {
        guard getuid() == 0 else { return print("not checked: takes root to be another user") }
        try write("{}", mode: 0o644)
        chmod(directory, 0o755)
        chmod(directory + "/sub", 0o1777)
        XCTAssertEqual(seteuid(65534), 0)
        defer { XCTAssertEqual(seteuid(0), 0) }
        XCTAssertThrowsError(try get(store().lock())) { error in
            XCTAssertTrue("\(error)".contains("another user's"), "\(error)")
        }
    }

    // Each would find what it had and refresh with it: the second refresh token is spent already.
    func testAllNamesOfAFileShareOneLockAndOneRecord() throws {
        mkdir(directory + "/links", 0o700)
        let link = directory + "/links/api.json"
        symlink("../sub/api.json", link)
        let linked = FileStore(path: link, scheduler: scheduler)
        let lease = try get(linked.lock())
        let other = Ending<any CredentialLease>()
        _ = store().lock().subscribe { other.set($0) }
        scheduler.advanceBy(1000)
        XCTAssertNil(other.value)
        _ = lease.save(stored(1)).subscribe { _ in }
        lease.unlock()
        scheduler.start()
        try other.value?.get().unlock()
        try save(stored(2), in: linked)
        XCTAssertEqual(try get(store().load()), stored(2))
        XCTAssertEqual(try get(linked.load()), stored(2))
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), "../sub/api.json")
    }

    func testADirectoryThatEverybodyMayWriteToIsRefusedUnlessItIsSticky() throws {
        try write("{}")
        for (mode, isGood) in [(0o777, false), (0o702, false), (0o1777, true), (0o770, true), (0o755, true)] {
            chmod(directory + "/sub", mode_t(mode))
            guard isGood else {
                XCTAssertThrowsError(try get(store().lock()), String(mode, radix: 8)) { error in
                    XCTAssertTrue("\(error)".contains("everybody"), "\(error)")
                }
                continue
            }
            XCTAssertNoThrow(try get(store().lock()), String(mode, radix: 8))
        }
    }

    // Whoever puts a file there would be sent what is meant for its owner.
    func testAFileOfAnotherUserIsRefusedUnlessTheDirectoryIsThatUsersToo() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        try write(#"{"access_token": "planted"}"#, mode: 0o644)
        chown(path, 65534, 65534)
        XCTAssertThrowsError(try get(store().load())) { error in
            XCTAssertTrue("\(error)".contains("another user"), "\(error)")
        }
        chown(directory + "/sub", 65534, 65534)
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "planted")
        try save(stored(2), in: store())
        for file in [path, path + ".lock"] {
            var status = stat()
            XCTAssertEqual(stat(file, &status), 0)
            XCTAssertEqual(status.st_uid, 65534, "\(file) is root's now")
        }
    }

    func testAFileThatOthersMayReadIsAsItShouldBeAfterTheNextWrite() throws {
        try write(#"{"access_token": "a1", "version": 1}"#, mode: 0o666)
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "a1")
        try save(stored(2), in: store())
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
    }

    // What a refresh token was spent for has its room before.
    func testARecordIsWrittenAlthoughTheDiskIsFullByThen() throws {
        mkdir(directory + "/sub", 0o700)
        guard mount("tmpfs", directory + "/sub", "tmpfs", 0, "size=128k") == 0 else {
            return print("not checked: takes the right to mount a small disk")
        }
        defer { umount2(directory + "/sub", Int32(MNT_DETACH)) }
        let lease = try get(store().lock())
        let filler = open(directory + "/sub/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(filler) }
        let fill = { while Glibc.write(filler, [UInt8](repeating: 0, count: 4096), 4096) > 0 {} }
        fill()
        try get(lease.save(stored(1)))
        XCTAssertEqual(try get(store().load()), stored(1))
        fill()
        XCTAssertThrowsError(try get(lease.save(stored(2)))) { error in
            XCTAssertTrue("\(error)".contains("No space left"), "\(error)")
        }
        XCTAssertEqual(try get(store().load()), stored(1))
    }

    func testALockFailsWhereThereIsNoRoom() throws {
        try withFileSizeLimit(4096) {
            XCTAssertThrowsError(try get(store().lock())) { error in
                XCTAssertTrue("\(error)".contains("can't write"), "\(error)")
            }
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory + "/sub"), ["api.json.lock"])
    }

    private func withFileSizeLimit(_ bytes: rlim_t, _ work: () throws -> Void) rethrows {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var small = rlimit(rlim_cur: bytes, rlim_max: limit.rlim_max)
        let handler = signal(SIGXFSZ, SIG_IGN)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer {
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            signal(SIGXFSZ, handler)
        }
        try work()
    }

    func testWhatIsSavedIsReadByAnotherStoreAndIsTheJSONThatWasPromised() throws {
        let record = StoredCredential(
            credential: Credential(accessToken: "a/\"1", refreshToken: "r1", expiresAt: 1_700_000_000), version: 3)
        try save(record, in: store())
        XCTAssertEqual(try get(store().load()), record)
        XCTAssertEqual(
            try String(contentsOfFile: path, encoding: .utf8),
            #"{"access_token":"a/\"1","expires_at":1700000000,"refresh_token":"r1","version":3}"# + "\n")
        try save(StoredCredential(credential: pair(4), version: 4, isRefused: true), in: store())
        XCTAssertEqual(try get(store().load()).isRefused, true)
        try save(StoredCredential(version: 5), in: store())
        XCTAssertEqual(try get(store().load()), StoredCredential(version: 5))
    }

    func testTheFileAndItsLockAreForTheUserAloneWhateverTheUmask() throws {
        let before = umask(0)
        defer { umask(before) }
        try save(stored(1), in: store())
        umask(0o777)
        try save(stored(2), in: store())
        XCTAssertEqual(try get(store().load()), stored(2))
        for (file, mode) in [(path, 0o600), (path + ".lock", 0o600), (directory + "/sub", 0o700)] {
            var status = stat()
            XCTAssertEqual(stat(file, &status), 0)
            XCTAssertEqual(Int(status.st_mode & 0o7777), mode, file)
        }
    }

    func testAReaderNeverSeesHalfAFileForTheNewOneIsPutInItsPlace() throws {
        try save(stored(1), in: store())
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        try save(stored(2), in: store())
        var buffer = [UInt8](repeating: 0, count: 200)
        let count = read(reader, &buffer, buffer.count)
        XCTAssertTrue(String(decoding: buffer[..<count], as: UTF8.self).contains("a1"), "the old file is whole")
        XCTAssertEqual(try get(store().load()), stored(2))
    }

    func testWhatACrashLeftBehindIsNoObstacle() throws {
        try save(stored(1), in: store())
        XCTAssertTrue(FileManager.default.createFile(atPath: path + ".tmp", contents: Data("half".utf8)))
        try save(stored(2), in: store())
        XCTAssertEqual(try get(store().load()), stored(2))
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: directory + "/sub").sorted(),
            ["api.json", "api.json.lock"])
    }

    func testGarbageIsAStoreErrorThatNamesTheFileAndNoSecret() throws {
        for text in ["", "garbage", "[]", #"{"access_token": 1}"#, #"{"access_token": "secret\n"}"#, #"{"access_tok"#] {
            try write(text)
            XCTAssertThrowsError(try get(store().load()), text) { error in
                XCTAssertTrue("\(error)".contains(path))
                XCTAssertFalse("\(error)".contains("secret"))
            }
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), text, "and stays as it is")
        }
    }

    func testADirectoryAPipeAndAHugeFileAreErrorsAndDoNotHang() throws {
        mkdir(directory + "/sub", 0o700)
        mkdir(path, 0o700)
        XCTAssertThrowsError(try get(store().load()))
        rmdir(path)
        mkfifo(path, 0o600)
        XCTAssertThrowsError(try get(store().load()))
        unlink(path)
        try write(String(repeating: " ", count: 2 << 20))
        XCTAssertThrowsError(try get(store().load()))
    }

    func testAnUnreadableFileIsAnErrorNotAnEmptyStore() throws {
        try write("{}")
        try FileManager.default.removeItem(atPath: path)
        symlink(path, path)
        XCTAssertThrowsError(try get(store().load()), "a loop of links can't be read by root either")
    }

    func testADirectoryThatCantBeMadeOrWrittenIsAnErrorBeforeATokenIsSpent() throws {
        let blocked = FileStore(path: "/proc/nowhere/api.json", scheduler: scheduler)
        XCTAssertThrowsError(try get(blocked.lock())) { XCTAssertTrue($0 is StoreError) }
    }
}

private final class FilePlace: VirtualPlace, StorePlace {
    private let directory: String
    private var path: String { directory + "/sub/api.json" }

    override init() {
        var template = Array("/tmp/freshet-store-XXXXXX".utf8CString)
        directory = String(cString: mkdtemp(&template))
    }

    func makeStore() -> any CredentialStore { FileStore(path: path, scheduler: scheduler) }

    func spoil() -> Bool {
        mkdir(directory + "/sub", 0o700)
        return FileManager.default.createFile(atPath: path, contents: Data("garbage".utf8))
    }

    func loseLock() -> Bool {
        unlink(path + ".lock")
        return true
    }

    func close() { try? FileManager.default.removeItem(atPath: directory) }
}
