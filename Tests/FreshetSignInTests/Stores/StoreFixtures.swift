import Foundation
import FreshetAuth
import FreshetCore
import FreshetStoreTesting
import FreshetTesting
import StoreKinds
import XCTest

@testable import FreshetSignIn

/// A directory for stores of one kind, on virtual time.
final class DirectoryFixture: StoreFixture {
    private let clock = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let make: (_ directory: String, any SchedulerType) throws -> any CredentialStore
    private let record: String?
    private let onClose: () -> Void
    let directory: String

    var scheduler: any SchedulerType { clock }

    /// - Parameters:
    ///   - record: the path of the record; by default the file `store` of the directory.
    ///   - onClose: releases what the fixture needs.
    init(
        record: String? = nil, onClose: @escaping () -> Void = {},
        make: @escaping (_ directory: String, any SchedulerType) throws -> any CredentialStore
    ) {
        self.make = make
        self.record = record
        self.onClose = onClose
        var template = Array("/tmp/freshet-store-XXXXXX".utf8CString)
        directory = String(cString: mkdtemp(&template))
    }

    func makeStore() throws -> any CredentialStore { try make(directory, scheduler) }

    func wait(until condition: () -> Bool) -> Bool {
        for _ in 0..<60_000 {
            if condition() { return true }
            clock.advanceBy(1)
        }
        return condition()
    }

    func waitAWhile() { clock.advanceBy(1000) }

    func spoil() -> Bool {
        FileManager.default.createFile(atPath: record ?? "\(directory)/store", contents: Data("garbage".utf8))
    }

    func loseLock() -> Bool {
        unlink("\(directory)/store.lock")
        return true
    }

    func close() {
        try? FileManager.default.removeItem(atPath: directory)
        onClose()
    }
}

extension XCTestCase {
    /// - Throws: `XCTSkip` where the kernel forbids the keyring.
    func testKeyring() throws -> TestKeyring {
        do {
            return try TestKeyring()
        } catch {
            throw XCTSkip("not checked: \(error)")
        }
    }
}
