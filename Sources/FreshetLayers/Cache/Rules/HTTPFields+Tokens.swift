import HTTPTypes

extension HTTPFields {
    /// The members of a list of tokens in lower case, such as the names in `Vary`. Blanks separate members too, because some
    /// servers omit the comma. Source: RFC 9110 section 5.6.1.
    func tokens(in name: HTTPField.Name) -> [String] {
        self[values: name].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }.map { $0.lowercased() }
    }
}
