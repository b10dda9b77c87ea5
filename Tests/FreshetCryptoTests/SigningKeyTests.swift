import FreshetCrypto
import XCTest

final class SigningKeyTests: XCTestCase {
    /// The key of RFC 9449 section 4.1 has this thumbprint. The key is public, so that the test checks only the digest.
    func testTheHashOfATextMatchesTheStandard() {
        XCTAssertEqual(
            Base64URL.encoded(Digest.sha256("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU".utf8)),
            "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        XCTAssertEqual(
            Base64URL.encoded(Digest.sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".utf8)),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        XCTAssertEqual(
            Base64URL.encoded(
                Digest.sha256(
                    #"{"crv":"P-256","kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}"#
                        .utf8)), "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    func testAKeyRemainsValidAfterItsTextIsReleased() throws {
        let key = try SigningKey.generateP256()
        let copy = try SigningKey(pem: key.pem)
        XCTAssertEqual(copy.thumbprint, key.thumbprint)
        XCTAssertEqual(key.algorithm, .es256)
        XCTAssertEqual(key.publicJWK.map(\.name), ["crv", "kty", "x", "y"])
        XCTAssertEqual(try key.signature(of: [1, 2, 3]).count, 64)
        XCTAssertNotEqual(try SigningKey.generateP256().thumbprint, key.thumbprint)
        for text in ["\(key)", String(reflecting: key)] { XCTAssertFalse(text.contains("PRIVATE"), text) }
    }

    func testAnRSAKeySignsWithRS256() throws {
        let key = try SigningKey(pem: Self.rsa)
        XCTAssertEqual(key.algorithm, .rs256)
        XCTAssertEqual(key.publicJWK.map(\.name), ["e", "kty", "n"])
        XCTAssertEqual(key.publicJWK.first?.value, "AQAB")
        XCTAssertEqual(try key.signature(of: [1]).count, 256)
        XCTAssertEqual(try key.signature(of: [1]), try key.signature(of: [1]))
    }

    func testAnUnusableKeyIsRefused() {
        for text in ["", "secret", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", Self.encrypted] {
            XCTAssertThrowsError(try SigningKey(pem: text)) { error in
                XCTAssertFalse("\(error)".contains("secret"), "\(error)")
            }
        }
    }

    /// Its public JWK would have an `e` that few servers can read.
    func testAnRSAKeyWithAPublicExponentAbove64BitsIsRefused() {
        XCTAssertThrowsError(try SigningKey(pem: Self.longExponent)) { error in
            XCTAssertTrue("\(error)".contains("exponent"), "\(error)")
        }
    }

    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCNgfzRhHl3ppZW
        gDNzeNQ2TPiMk3Irkj5+DPc/keYdXtcTv3kTw+EmkMA/CQEWSOFfw922L6oJXui5
        qCWRJ723v1TNOlUS4+acKxNPT2TiDgHobRmAV4y6W7Aq7mc++/6unamzkKNKH/8U
        1Ar9uQO52Daq3DP7dpUhWSZ7T1Zs1frcndiBaR7h2bDCl47wbDTqB8vZxRRgaIt2
        P3QOf1ENbni9wLbxkMjXn3Bkgff3GM32Mz7gBlhJFQzHVt4bGYQekDVnbK/FgQwc
        gqLoYlcJSM6J8vv6lLdLp/efgY+3RxJJhf9RysURAxd3efKE8cZYHIMen0/y4J+o
        3kyj4HzbAgMBAAECggEAOF36kJTl87DiesNne0w6sASaDxkepdeD2B8fD+30jWd9
        Yern9mUU1xFa2uEh0zgluklhlBRJdaEeL/IYQMllS3/F7lgZkkRA1J1d/D4ib99n
        iCeJPHPjZUpnkrpTWyXy7ah09Eedm8XCDJBobmfX4ZwMLqQ3eqfiQJ3r87uHMCO2
        pOFE0jQ6uJhRD5wnewkqvGPeTscfEzHXc5SYsrMmYZAhmJvyru/f7RsbsPIoQNKs
        OuN9bfQKsZU49D+IsKt49+OjVGdELm54FDuPzHa13wmdjbfcdVFY239G3jQ97xNj
        zmgEeLN9CLqh2gUC5OoZfkWwtijX18S8eCQxjUEy+QKBgQDFf8K/weQEurM11dJa
        mnm+/KUB0+RjkLK7foLoJ1SfdlVtsAViLEvpTQYI2u/wdPixVv+31KeIxV3GN4uD
        mDj3g5EnzF4PSnIrn39sbKhmDNu8eiNLt1L6KjizhaRhOW2+wiJlY486/zRL5Hw0
        elT0XsVCzsLleRMT1WcZnOTdqQKBgQC3bHBjAxDPKleHssnA8oJXgyXL6gX+2ioj
        kBUxewOOQ/+jY2KPomgnJw30fla2rfcrctDGOjSw2owUB6DS76/b+sEfsrHGRcEQ
        NYIRT+HKhygkB1WjBbqKqedP2qkxG1YAKX1utPf9pS0aKnEmPVxOGCkRfPC4UA0y
        bDF24gZw4wKBgGzD24C3Ste/6gnv45S6Feo0QLss8k5S1duj5HvtjRD0nj91/MEA
        HB4zqOsfh5wpDvy7KMEYf9s2tln/JPonztegwUPlrLdHDHExuX8AqAzrb+fwa5e7
        MhtLPUbAhrJ0ahfv2fl0RuD6wtY40p4j8L1To9cS/wpZD0SQ9eKJIRFhAoGAeCBb
        xmyWkKbRZnzQJz5r4LZyhYbB4HOvD1Vom9xNqtmbzbzkKt+ZSLMKL6qiTcfHTbxH
        QNuT8JNhFCkeyabSTMZ/vqvAQ/MhCuWQRphDbulvf5ESI883qWK2rBSvpAqcG0UQ
        8fUxSPvpeu565ilfj4HBO8PQv1UmH3S+PHaw8zMCgYEAmfqUMshb91OB4gDqgDbH
        +EALQ3QL/GO8jvVgvPv7M3oGziTaek8NL6drWTiG0SfmwiKlzXqCgGkWVU+NQapQ
        oGi/baNmUalzcFN7xI/pyzf1ps9kPOGFO5Yvr/LVeSQBScxJ0hD8C8EPDPQzA/pP
        KQyuH0fopxAoy8SmIl0MORs=
        -----END PRIVATE KEY-----
        """

    private static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgaEWy+i9gK6wICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELcRChNuEoBkVa+wahYL1/wEgZCk
        bKOiZspxA62o2AjDhfPR2WwS95nWf4398sAfPQjbpTF3nEiP070TOhaiejG5ov8I
        5xDmcObnsRJ0FUNPhfqCjfjvJCI6QiPOQvWGSs0wueKqrAv4mD86yf5FCa7fvoGk
        QqWHqCAnpjHTgcklPSdzIuiNubZcQRdQvhurvqQ1SXfGAaaaPW8s2xYPZ9X94Yo=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    private static let longExponent = """
        -----BEGIN PRIVATE KEY-----
        MIIEwgIBADANBgkqhkiG9w0BAQEFAASCBKwwggSoAgEAAoIBAQDC34++lsyyJDeK
        +CQ2Ob2TZwoyZpPc/UYKbF8vonQYddPzl3y76zt+NK4IEvs8r61Pw/+xsg/c1SUR
        q2Ku6rKiljtRrTlhpqW6rDtdBVpUGPbJFLDjGwz3VY7l0VJCDmJ8wnFsC0jUjZxT
        42uRk+zZds56Jf0fx4e6lUfpd9bcITyHC8nlXr04/oN4xKKvVlfB8qkFZqzCPqqA
        voY8kNxzqsQtmtotpJldBtvrW5yRML7LeoFOACkxwsdMvOEpnGjwGOAyPMokHSlP
        99yrf1h6V9rvNk6w/jVCAAf8ARtoXn+PsMilEPVivYN5hHrdTg+eDWLjJHBK3JVh
        0I7IdeI9AgkCAAAAAAAAAAECggEAF3x5cQPyhEDWQ6H2NBg/HC6ptgzko/BxOP0u
        ow6Owos+vhcz93m9qM96JqEpexlyJYW+VeeIcawTxw4Ts5CX3P/Gn4XDdDxn79Wv
        bCpjaqautUcCGBtFL8dR+0deTQDEUDhOSe40vV1CvNTC/TSuAVBn9hS5vgaMaiCh
        2Sd10u9stAAbZjeYT919KicF7X0r0p+zIMpegPGZ2GYZHqFDkAb7CFe0tavAn2hf
        h71Y5CfTTYPHcwz9iPI7Pl7wwD6lgXkiMc4QU12ggAiamVq2spW+Di9vldJWnvpJ
        fvgVhsvsw6a/ofVzl/IoiSyStdtkp70N58EQ6c2jjZTxC018eQKBgQDzaELhX86b
        cYNXHDf6shmVADKU3G0sZ6d3iHJasH21eI43kx04nApJPvYgbqVhksJhjvIpJwyS
        1iLjphsXcca9ggbdtt0zPvSogZuBILHgqOF+bf+rr5/aToft/215n/+heyf0KsCs
        j70OapPcH5tpauJiPwgK1o5p17+dn3+POQKBgQDM9IFxSHxy7rydsQD6t/NFlcFB
        F1CWkw4hF/ETPZVV8CMWO5W2osRzy8Uxb35tJSA1kQHraz5qhfvMnvcvxlzXhywC
        fzoHfBN5ycemSRrIYtuOOKaXVBoyO+R1xvuIZNxyRv05CO3AJ1do7dn/gjdCYZxm
        xSZSVjVCLJPSkVinJQKBgF/acgowXUJ3mi7WSHA8t9dVg8rEu9I5RhsOiApzTjZY
        uQ55R+5MOHEf8yTB2PAXQgKkAH3xTrITC4jMvN5HxLaY8RHjvorE8ADKHvOcM4vI
        ZG9GbsNx+sXIF1xmeybwuz6/je09DKq20ZvVeaUImZJHvRHfP+CTRP7Duv2a4AQB
        AoGAU2i9yi2+r6ur8AG95kdcki9NOUhXIL+/c/yu3Ml1eq4QvS+lG9w8gXL63Dv2
        8ko2ZPlDVW7vme9TxOlPxPUF6ncMhAHQpohWqtLLzM6chnuDADDNuY4f3ThdmyJw
        /im6QoTNf6Sc7zWsfsyYcHSaJ6VS1ncxPgCtGtkvc1mR5w0CgYAZLq0aTP5RUaT6
        XRfp6tKwITIo6Qk48LTicK96Zr9z8ODjhQuYrebPYae/XC4HSI2Y1nMKsWVkOKnw
        b5dSBQkHgBdLqcfDDC6gL2TbsHtQn+7U/JfJ3qKTjat7OmixhrfFaNiaQ6EGXPFX
        tVd6Sno+/1RGJA96peUQPbNOYPTRTw==
        -----END PRIVATE KEY-----
        """
}
