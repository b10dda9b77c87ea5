import FreshetAuth
import FreshetHTTP

extension StoreRequirement {
    static let ofRecords = [
        StoreRequirement("an empty fixture is an empty store") { fixture in
            try expect(try fixture.get(fixture.makeStore().load()), is: .empty, "stored")
            let lease = try fixture.get(fixture.makeStore().lock())
            try expect(try fixture.get(lease.load()), is: .empty, "stored under the lock")
            lease.unlock()
        },

        StoreRequirement("a reader sees the last save unchanged") { fixture in
            let (writer, reader) = (try fixture.makeStore(), try fixture.makeStore())
            for record in records {
                try fixture.save(record, in: writer)
                for store in [writer, reader] {
                    let found = try fixture.get(store.load())
                    try expect(found == record, "version \(record.version) is not what was saved")
                    // Equality ignores them.
                    try expect(
                        found.foreignMembers == record.foreignMembers,
                        "the foreign members of version \(record.version) are not those that were saved")
                    try expect(
                        found.credential?.generation == record.credential.map { _ in record.version },
                        "the generation is not the version")
                }
            }
        },

        StoreRequirement("a reader never sees a part of a save") { fixture in
            let (writer, reader) = (try fixture.makeStore(), try fixture.makeStore())
            try fixture.save(record(1), in: writer)
            let lease = try fixture.get(writer.lock())
            let saving = Outcome(of: lease.save(record(2)))
            // The stores are read again and again until the save has ended.
            var readings = [Outcome(of: writer.load()), Outcome(of: reader.load())]
            var seen: [StoredCredential] = []
            let isSaved = fixture.wait {
                if readings.allSatisfy({ $0.result != nil }) {
                    seen += readings.compactMap(\.value)
                    readings = [Outcome(of: writer.load()), Outcome(of: reader.load())]
                }
                return saving.result != nil
            }
            lease.unlock()
            try expect(isSaved, "the save did not end")
            for found in seen {
                try expect(found == record(1) || found == record(2), "\(found) was never saved")
            }
            for store in [writer, reader] { try expect(try fixture.get(store.load()), is: record(2), "stored") }
        },

        StoreRequirement("a save is visible to its own lease and to others before the lock is released") { fixture in
            let (writer, reader) = (try fixture.makeStore(), try fixture.makeStore())
            let lease = try fixture.get(writer.lock())
            for record in [record(1), record(2)] {
                try fixture.get(lease.save(record))
                try expect(try fixture.get(lease.load()), is: record, "stored under the lock")
                try expect(try fixture.get(reader.load()), is: record, "stored")
            }
            lease.unlock()
        },

        StoreRequirement("a record that could not be read again is not written") { fixture in
            let store = try fixture.makeStore()
            try fixture.save(record(1), in: store)
            for token in ["", "\u{FC}ber", "a\r\nb", "\u{0}"] {
                let odd = StoredCredential(credential: Credential(accessToken: token), version: 2)
                let lease = try fixture.get(store.lock())
                let outcome = Outcome(of: lease.save(odd))
                _ = fixture.wait { outcome.result != nil }
                lease.unlock()
                let found = try fixture.get(fixture.makeStore().load())
                switch outcome.result {
                case .success?: try expect(found, is: odd, "stored")
                case .failure(let error)?:
                    try expect(error is StoreError, "no StoreError: \(error)")
                    try expect(found, is: record(1), "stored")
                case nil: throw UnmetRequirement("nothing came")
                }
            }
        },
    ]

    /// Returns the record with the pair of a generation.
    static func record(_ number: Int) -> StoredCredential {
        StoredCredential(
            credential: Credential(accessToken: "a\(number)", refreshToken: "r\(number)"), version: number)
    }

    private static var records: [StoredCredential] {
        let printable = String(String.UnicodeScalarView((0x20...0x7E).map { UnicodeScalar(UInt8($0)) }))
        let long = String(repeating: printable, count: 500)
        return [
            record(1),
            StoredCredential(
                credential: Credential(accessToken: "a", refreshToken: nil, expiresAt: 1_700_000_000.125), version: 2),
            StoredCredential(credential: Credential(accessToken: printable, refreshToken: printable), version: 3),
            StoredCredential(
                credential: Credential(accessToken: long, refreshToken: long, expiresAt: 4e9), version: 4),
            StoredCredential(credential: record(4).credential, version: 5, isRefused: true),
            StoredCredential(version: 6),
            StoredCredential(
                credential: record(7).credential, version: 7,
                foreignMembers: ["note": .string("a b"), "device": .object(["trusted": .bool(true)])]),
            // The order of versions has no meaning.
            record(2),
            StoredCredential(credential: record(1).credential, version: .max),
        ]
    }
}
