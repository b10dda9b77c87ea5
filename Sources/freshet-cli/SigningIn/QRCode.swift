/// A QR code as text for a terminal. Source: ISO/IEC 18004.
struct QRCode {
    let text: String

    init?(_ content: String) { return nil }
}
