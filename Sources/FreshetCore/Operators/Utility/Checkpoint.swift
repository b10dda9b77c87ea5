extension ObservableType {
    /// Reports each error that passes this point of the chain, if ``Hooks/assemblyTrace`` is not off when the chain is
    /// built.
    ///
    ///     let prices = client.get(url).decode().checkpoint("prices")    // passed prices at App/Prices.swift:12: notFound
    ///
    /// If the trace is off, this function returns the source itself and costs nothing, so checkpoints can stay in the
    /// code. Source: Reactor's `checkpoint`.
    ///
    /// - Parameters:
    ///   - name: the name of the checkpoint. The default is `checkpoint`.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
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
