/// Shows the failures of a run: for each kind a bar, its share and an example.
struct FailureBars {
    let failures: LoadFailures
    /// The number of all requests or streams, including those that failed.
    let all: Int

    var markup: HTML {
        let most = Double(failures.byFrequency.first?.count ?? 1)
        return """
            <div class="bars errors">\(failures.byFrequency.map { failure in
                """
                <div><b>\(failure.kind)</b><span class="bar bad">\
                <i style="width:\(Double(failure.count) / most * 100)%"></i></span>\
                <output>\(TextFormat.count(failure.count)) <small>\
                \(TextFormat.percent(Double(failure.count) / Double(max(1, all))))</small></output>
                <p>\(failure.example)</p></div>

                """ as HTML
            })</div>

            """
    }
}
