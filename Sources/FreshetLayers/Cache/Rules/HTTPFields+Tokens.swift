import HTTPTypes

extension HTTPFields {
    /// The members of a list of tokens in lower case, such as the names in `Vary`. Some servers forget the comma between two.
    /// Source: RFC 9110 section 5.6.1.
    func tokens(in name: HTTPField.Name) -> [String] {
        self[values: name].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }.map { $0.lowercased() }
    }
}
