import Foundation

@testable import FreshetLoad

extension EarlierRun {
    static func all(inText text: String, _ figures: [ComparedFigure]) throws -> [EarlierRun] {
        try all(in: Array(text.utf8), from: "runs.jsonl", figures)
    }
}

extension String {
    /// The elements of one of the library's pages whose end tags are missing or wrong.
    var openElements: [String] {
        // The page is XML except for the elements without an end tag.
        var text = replacingOccurrences(of: "<!doctype html>", with: "")
        text = text.replacingOccurrences(of: "<meta ([^>]*)>", with: "<meta $1/>", options: .regularExpression)
        text = text.replacingOccurrences(of: " hidden>", with: " hidden=\"\">")
        text = text.replacingOccurrences(
            of: "(?s)<(script|style)>.*?</(script|style)>", with: "", options: .regularExpression)
        var open: [String] = []
        for part in text.split(separator: "<").dropFirst() {
            let tag = part.prefix { $0 != ">" }
            let name = String(tag.drop { $0 == "/" }.prefix { $0 != " " && $0 != "/" && $0 != "\n" })
            if tag.hasPrefix("/") {
                if open.popLast() != name { return open + ["/\(name)"] }
            } else if !tag.hasSuffix("/") {
                open.append(name)
            }
        }
        return open
    }
}
