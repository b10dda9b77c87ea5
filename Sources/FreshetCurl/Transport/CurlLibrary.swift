/// libcurl as a whole, which is started once per process.
enum CurlLibrary {
    /// Starts libcurl, unless that was done. It has to be called before libcurl is.
    static func start() { _ = KeptHandles.safety }
}
