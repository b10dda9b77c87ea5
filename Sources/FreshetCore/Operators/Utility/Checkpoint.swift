extension ObservableType {
    /// The same stream, whose errors tell that they passed here, if ``Hooks/assemblyTrace`` is not off when it is built.
    ///
    ///     let prices = client.get(url).decode().checkpoint("prices")    // passed prices at App/Prices.swift:12: notFound
    ///
    /// When it is off this is the source itself and costs nothing; so checkpoints can stay. Source: Reactor's `checkpoint`.
    ///
    /// - Parameters:
    ///   - name: what it is called; `checkpoint`, if nothing is said.
    ///   - file: where it stands in the code.
    ///   - line: where it stands in the code.
    @inlinable
    public func checkpoint(
        _ name: String = "checkpoint", file: String = #fileID, line: Int = #line
    ) -> Observable<Element> {
        let source = asObservable()
        return Assembly.isOff ? source : source.marked(name, file, line)
    }
}

extension Observable {
    @usableFromInline
    func marked(_ name: String, _ file: String, _ line: Int) -> Observable<Element> {
        LocatedStream(AssemblyLocation(AssemblySite(operation: name, file: file, line: line)), on: self)
    }
}
