import HTTPTypes

extension HTTPFields {
    /// The members of a list of tokens in lower case, such as the names in `Vary`. Source: RFC 9110 section 5.6.1.
    func tokens(in name: HTTPField.Name) -> [String] {
        self[values: name].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
    }
}
