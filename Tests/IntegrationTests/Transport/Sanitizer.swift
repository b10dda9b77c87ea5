import Glibc

/// Whether this process, and with it the command line that was built beside it, runs under a sanitizer, whose own memory
/// is then a multiple of the program's.
enum Sanitizer {
    static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// What a process that keeps little in memory stays under.
    static let memoryBound = isOn ? 512 << 20 : 64 << 20

    /// What this process may hold besides, though it has given it back: the address sanitizer keeps 256 MB that were freed, and
    /// what stands around each of their pieces.
    static let quarantine = isOn ? 512 << 20 : 0
}
