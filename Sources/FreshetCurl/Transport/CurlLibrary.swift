/// The initialization of libcurl, once per process.
enum CurlLibrary {
    /// Initializes libcurl, unless that was done before. It must run before any other function of libcurl.
    static func start() { _ = KeptHandles.safety }
}
