import ArgumentParser
import Foundation
import Freshet

/// The value of `-F`: a field of a form, `name=value`, `name=@file` or `name=<file`, with `;type=` and `;filename=` after it.
struct FormArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) {
        text = argument
    }

    /// Found by its byte, because a mark after it would combine with it to another character.
    private var equals: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: "=")) }
    private var value: Substring { equals.map { text[text.utf8.index(after: $0)...] } ?? "" }

    func validate() throws {
        guard let equals, equals != text.startIndex else {
            throw ValidationError("a field of the form has no name or no equals sign; write -F NAME=VALUE")
        }
        if let parameter = FormValue(value).refusedParameter {
            throw ValidationError(
                "-F has ;type= and ;filename= after a value, and no ;\(parameter)=; leave it out, or write the value in "
                    + "quotation marks, as in -F 'NAME=\"VALUE\"', if it belongs to it")
        }
    }

    /// Appends the field to `form`. Files are read while they are sent; standard input is read now.
    func append(to form: inout MultipartForm) throws {
        let name = String(text[..<(equals ?? text.endIndex)])
        let value = FormValue(value)
        switch value.source {
        case .text: form.append(name, .bytes(Array(value.text.utf8)), filename: value.filename, contentType: value.type)
        case .content:
            form.append(name, try Self.body(value.text), filename: value.filename, contentType: value.type)
        case .file:
            let filename = value.filename ?? value.text.split(separator: "/").last.map(String.init) ?? value.text
            form.append(
                name, try Self.body(value.text), filename: filename,
                contentType: value.type ?? Self.type(ofFileNamed: filename))
        }
    }

    private static func body(_ path: String) throws -> RequestBody {
        path == "-" ? try BodyArgument("-", .data).body(on: nil) : .file(path)
    }

    private static let types = [
        "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml",
        "txt": "text/plain", "htm": "text/html", "html": "text/html", "pdf": "application/pdf",
        "xml": "application/xml", "json": "application/json",
    ]

    private static func type(ofFileNamed name: String) -> String {
        types[URL(fileURLWithPath: name).pathExtension.lowercased()] ?? "application/octet-stream"
    }
}

/// The value of a form's field, with its parameters.
private struct FormValue {
    enum Source {
        case text
        /// The content of a file, without its name.
        case content
        case file
    }

    var source = Source.text
    /// The value, or the path of the file.
    var text: String
    var type: String?
    var filename: String?
    /// A parameter of curl that the command does not have.
    private(set) var refusedParameter: String?

    init(_ value: Substring) {
        var rest = value
        switch rest.first {
        case "@": source = .file
        case "<": source = .content
        default: break
        }
        if source != .text { rest.removeFirst() }
        text = Self.word(&rest)
        while rest.first == ";" {
            var parameter = rest.dropFirst().drop { $0 == " " }
            if parameter.hasPrefix("type=") {
                parameter.removeFirst(5)
                type = Self.word(&parameter)
            } else if parameter.hasPrefix("filename=") {
                parameter.removeFirst(9)
                filename = Self.word(&parameter)
            } else {
                refusedParameter = ["encoder", "headers"].first { parameter.hasPrefix("\($0)=") } ?? refusedParameter
                // A semicolon that begins no parameter belongs to what stands before it, such as the charset of a type.
                let more = ";" + rest.dropFirst().prefix { $0 != ";" }
                parameter = rest.dropFirst(more.count)
                if filename != nil { filename! += more } else if type != nil { type! += more } else { text += more }
            }
            rest = parameter
        }
    }

    /// Removes a word from the front of `rest`. The word ends at a semicolon, or it is in quotation marks, in which a backslash
    /// escapes the next character.
    private static func word(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        rest.removeFirst()
        var word = ""
        while let next = rest.popFirst(), next != "\"" {
            word.append(next == "\\" ? rest.popFirst() ?? next : next)
        }
        return word
    }
}
