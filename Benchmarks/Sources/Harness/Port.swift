import Glibc

public enum Port {
    /// One that nobody listens on at this moment.
    public static func free() -> UInt16 {
        with(port: 0) { descriptor, address, size in
            bind(descriptor, address, size.pointee)
            getsockname(descriptor, address, size)
        }
    }

    public static func isOpen(_ port: UInt16) -> Bool {
        var result: Int32 = -1
        _ = with(port: port) { descriptor, address, size in result = connect(descriptor, address, size.pointee) }
        return result == 0
    }

    /// - Returns: the port that is in the address afterwards.
    private static func with(
        port: UInt16, _ body: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Void
    ) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { body(descriptor, $0.baseAddress!, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
