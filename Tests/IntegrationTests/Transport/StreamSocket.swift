import CFreshetCurl
import Glibc

// The header with these constants belongs to both modules, and the compiler assigns it to the one that it loads first. A file
// that imports only one of them may not find the constants.
let streamSocket = Int32(SOCK_STREAM.rawValue)
let nonblockingStreamSocket = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
