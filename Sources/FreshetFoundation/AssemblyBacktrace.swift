#if os(Linux) && canImport(Runtime)
    public import FreshetCore
    import Runtime

    extension AssemblyCapture {
        /// Reads the place off the stack: the operator that the program calls, and the file and line of the call, inlined or
        /// not. Needs the debug information of the program, which SwiftPM builds in both configurations.
        ///
        /// In a release build an operator that is made of others may show under the name of one of those.
        ///
        /// Noting a place takes about a quarter of a millisecond and a few hundred bytes; finding out what it is happens when
        /// the first error passes.
        public static let backtrace = AssemblyCapture {
            // No program calls an operator through so many functions of the library.
            guard let trace = try? Backtrace.capture(limit: 32, top: 0) else { return nil }
            return { trace.symbolicated()?.assemblySite }
        }
    }

    extension SymbolicatedBacktrace {
        /// The first call that comes from outside of the library.
        fileprivate var assemblySite: AssemblySite? {
            var called: String?
            var lift: AssemblySite?
            for frame in frames {
                guard let symbol = frame.symbol else { continue }
                if Library.owns(symbol) {
                    if let lift { return lift }
                    called = Library.function(in: symbol.name)
                    // Made by an operator for itself, when it was run.
                    if called == "run(_:)" { return nil }
                } else if let location = symbol.sourceLocation, location.line > 0 {
                    guard let operation = called, Library.isForBuilding(operation) else { return nil }
                    let site = AssemblySite(
                        operation: operation, file: Library.short(location.path), line: location.line)
                    guard operation == "lift(_:)" else { return site }
                    // An operator of the program's own: its name, and where the program calls it.
                    lift = site
                    called = Library.function(in: symbol.name)
                }
            }
            return lift
        }
    }

    /// What frames of the library look like.
    private enum Library {
        private static let sources = String(#filePath.dropLast("FreshetFoundation/AssemblyBacktrace.swift".count))

        /// By its file; what the optimiser has made of it has none, but its mangled name begins with the module's.
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

        /// What the program calls to make things happen is no part of a chain.
        static func isForBuilding(_ function: String) -> Bool {
            !["subscribe", "on", "onNext", "onError", "onCompleted", "accept", "connect", "start", "resume", "dispose"]
                .contains(String(function.prefix { $0 != "(" }))
        }

        /// The last folder and the file.
        static func short(_ path: String) -> String {
            path.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }
#endif
