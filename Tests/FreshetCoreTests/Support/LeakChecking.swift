/// The address sanitizer calls this function at the end of the process. XCTest keeps every test case until then, with all its
/// objects, so that each run would fail. `Resources.total` finds our leaks test by test.
@_cdecl("__lsan_is_turned_off")
public func leakCheckingAtExitIsTurnedOff() -> Int32 { 1 }
