#if canImport(Runtime)
    public import FreshetCore
    import Runtime

    extension AssemblyCapture {
        /// Reads the location from the stack: the operator that the program calls, and the file and line of the call,
        /// even if the call is inlined. It needs the debug information of the program, which SwiftPM builds in both
        /// configurations.
        ///
        /// In a release build, an operator that is made of others can appear under the name of one of those.
        ///
        /// Recording a location takes about a quarter of a millisecond and a few hundred bytes. The location is
        /// resolved when the first error passes.
        public static let backtrace = AssemblyCapture {
            // 32 frames suffice: no call of an operator goes through that many functions of the library.
            guard let trace = try? Backtrace.capture(limit: 32, top: 0) else { return nil }
            return { trace.symbolicated()?.assemblySite }
        }
    }

    extension SymbolicatedBacktrace {
        /// The first call from outside the library.
        fileprivate var assemblySite: AssemblySite? {
            var called: String?
            var lift: AssemblySite?
            for frame in frames {
                guard let symbol = frame.symbol else { continue }
                if Library.owns(symbol) {
                    if let lift { return lift }
                    called = Library.function(in: symbol.name)
                    // Another operator created this one while it ran.
                    if called == "run(_:)" { return nil }
                } else if let location = symbol.sourceLocation, location.line > 0 {
                    guard let operation = called, Library.isForBuilding(operation) else { return nil }
                    let site = AssemblySite(
                        operation: operation, file: Library.short(location.path), line: location.line)
                    guard operation == "lift(_:)" else { return site }
                    // The program has an operator of its own. The site has its name and the location where the program
                    // calls it.
                    lift = site
                    called = Library.function(in: symbol.name)
                }
            }
            return lift
        }
    }

    /// Recognises the frames of the library.
    private enum Library {
        private static let sources = String(#filePath.dropLast("FreshetFoundation/AssemblyBacktrace.swift".count))

        /// Decides by the file. Functions that the optimiser creates have no file, but their mangled name begins with
        /// that of the module.
        static func owns(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
            guard let location = symbol.sourceLocation, location.line > 0 else {
                return symbol.rawName.dropFirst(2).drop(while: \.isNumber).hasPrefix("Freshet")
            }
            return location.path.hasPrefix(sources + "Freshet")
        }

        /// `map(_:)` for `ObservableType.map<A>(_:)`.
        static func function(in name: String) -> String {
            var depth = 0
            let plain = name.filter { character in
                if character == "<" { depth += 1 }
                defer { if character == ">" { depth -= 1 } }
                return depth == 0
            }
            let path = plain.prefix { $0 != "(" }
            let base = path.split(separator: ".").last ?? path
            return String(base) + plain.dropFirst(path.count)
        }

        /// Decides whether a function builds a part of a chain. The functions that start or end a chain are not part of it.
        static func isForBuilding(_ function: String) -> Bool {
            !["subscribe", "on", "onNext", "onError", "onCompleted", "accept", "connect", "start", "resume", "dispose"]
                .contains(String(function.prefix { $0 != "(" }))
        }

        /// Returns the last folder and the file name.
        static func short(_ path: String) -> String {
            path.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }
#endif
