import Glibc

/// Whether this process, and the command line that was built with it, runs under a sanitizer. A sanitizer's own memory is a
/// multiple of the program's.
enum Sanitizer {
    static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// The limit, in bytes, for the memory of a process that keeps little.
    static let memoryBound = isOn ? 512 << 20 : 64 << 20

    /// The bytes that this process may hold although it has freed them: the address sanitizer keeps 256 MB of freed memory, and
    /// padding around each piece of it.
    static let quarantine = isOn ? 512 << 20 : 0
}
