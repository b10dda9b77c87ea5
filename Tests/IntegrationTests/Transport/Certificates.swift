import Foundation
import XCTest

/// Certificates that the `openssl` command makes, in a directory that is removed with this object.
final class Certificates: Sendable {
    let directory: URL
    private let openssl: String

    /// - Throws: `XCTSkip` if openssl is not installed.
    init() throws {
        openssl = try Command.find("openssl")
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "freshet-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    private let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    /// Makes an authority, or a certificate that is signed by itself: `name.pem` and `name.key`.
    func makeSelfSigned(_ name: String, subject: String, names: String? = nil) throws {
        try Command.run(
            openssl,
            ["req", "-x509"] + curve + ["-keyout", path("\(name).key"), "-out", path("\(name).pem")]
                + ["-days", "2", "-subj", "/CN=\(subject)"] + (names.map { ["-addext", "subjectAltName=\($0)"] } ?? []))
    }

    /// Makes a certificate signed by `authority`. With `ended` it is one that expired yesterday.
    func make(_ name: String, names: String, by authority: String, ended: Bool = false) throws {
        try "subjectAltName=\(names)".write(toFile: path("names"), atomically: true, encoding: .utf8)
        try Command.run(
            openssl,
            ["req", "-new"] + curve
                + ["-keyout", path("\(name).key"), "-out", path("\(name).csr"), "-subj", "/CN=\(name)"])
        guard ended else {
            return try Command.run(
                openssl,
                ["x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem")]
                    + ["-CAkey", path("\(authority).key"), "-CAcreateserial", "-out", path("\(name).pem")]
                    + ["-days", "2", "-extfile", path("names")])
        }
        // The command that signs requests has no dates in the past before OpenSSL 3.4. The command for authorities has.
        try """
        [ca]
        default_ca = a
        [a]
        database = \(path("index"))
        new_certs_dir = \(directory.path)
        serial = \(path("serial"))
        default_md = sha256
        policy = p
        [p]
        commonName = supplied
        """.write(toFile: path("ca.conf"), atomically: true, encoding: .utf8)
        try "".write(toFile: path("index"), atomically: true, encoding: .utf8)
        try "1000".write(toFile: path("serial"), atomically: true, encoding: .utf8)
        try Command.run(
            openssl,
            ["ca", "-batch", "-config", path("ca.conf"), "-in", path("\(name).csr"), "-out", path("\(name).pem")]
                + ["-cert", path("\(authority).pem"), "-keyfile", path("\(authority).key")]
                + ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-extfile", path("names")])
    }

    /// The key of a certificate in the form in which it is pinned.
    func pin(_ name: String) throws -> String {
        try Command.run(
            openssl, ["x509", "-in", path("\(name).pem"), "-pubkey", "-noout", "-out", path("\(name).pub")])
        try Command.run(
            openssl,
            ["pkey", "-pubin", "-in", path("\(name).pub"), "-outform", "der", "-out", path("\(name).der")])
        try Command.run(openssl, ["dgst", "-sha256", "-binary", "-out", path("\(name).hash"), path("\(name).der")])
        return "sha256//" + Data(try bytes("\(name).hash")).base64EncodedString()
    }

    /// Encrypts the key of `name` into another file.
    func encryptKey(_ name: String, as other: String, passphrase: String) throws {
        try Command.run(
            openssl,
            ["pkey", "-in", path("\(name).key"), "-out", path("\(other).key"), "-aes256"]
                + ["-passout", "pass:\(passphrase)"])
    }
}
