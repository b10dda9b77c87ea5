import Foundation

/// A pseudo-terminal with its keyboard.
final class Terminal {
    /// The side of the terminal that a process has as its input.
    let end: FileHandle
    private let keyboard: FileHandle
    /// TIOCSPTLCK and TIOCGPTN, which the C library's module does not export.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    init() throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        keyboard = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard descriptor >= 0, ioctl(descriptor, Self.lock, &isLocked) == 0,
            ioctl(descriptor, Self.number, &number) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        end = FileHandle(fileDescriptor: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY), closeOnDealloc: true)
    }

    /// Sets the number of characters in a line.
    func setWidth(_ columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(end.fileDescriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Whether the terminal shows the characters that are typed.
    var shows: Bool {
        var settings = termios()
        return tcgetattr(end.fileDescriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) throws {
        try keyboard.write(contentsOf: Data(text.utf8))
    }

    /// The text that the process has written to the terminal.
    var text: String {
        let descriptor = keyboard.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
