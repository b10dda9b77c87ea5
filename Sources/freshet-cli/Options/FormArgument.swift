import ArgumentParser
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
        let value = FormValue(value)
        if let type = value.type, type.wholeMatch(of: /[^\/ ]+\/[^;, \n].*/.dotMatchesNewlines()) == nil {
            throw ValidationError("the ;type= of -F is no media type; write one such as text/plain")
        }
        if let parameter = value.refusedParameter {
            throw ValidationError(
                "-F has ;type= and ;filename= after a value, and no ;\(parameter)=; leave it out, or write the value in "
                    + "quotation marks, as in -F 'NAME=\"VALUE\"', if it belongs to it")
        }
    }

    /// Appends the field to `form`. Files are read while they are sent; standard input is read now.
    func append(to form: inout MultipartForm) throws {
        let name = String(text[..<(equals ?? text.endIndex)])
        let value = FormValue(value)
        if value.isCut {
            Console.report(
                "note: as in curl, -F does not send what stands after a quotation mark or a semicolon in the field \(name); "
                    + "write the whole value in quotation marks, as in -F 'NAME=\"VALUE\"'")
        }
        if value.source == .content, value.filename != nil {
            Console.report(
                "note: as in curl, -F sends no file name with NAME=<FILE in the field \(name); to send one, write "
                    + "NAME=@FILE")
        }
        switch value.source {
        case .text:
            form.append(
                name, .bytes(Array(value.text.utf8)), filename: value.filename,
                contentType: value.type ?? value.filename.flatMap(Self.type(ofFileNamed:)))
        case .content:
            // curl leaves the type of a text out where no file name is sent.
            let guess = Self.type(ofFileNamed: value.text).flatMap { $0 == "text/plain" ? nil : $0 }
            form.append(name, try Self.body(value.text), contentType: value.type ?? guess)
        case .file:
            let filename = value.filename ?? value.text.split(separator: "/").last.map(String.init) ?? value.text
            let type = value.type ?? Self.type(ofFileNamed: filename) ?? Self.type(ofFileNamed: value.text)
            // curl guesses no type of standard input, which is no file.
            let other = value.text == "-" ? nil : "application/octet-stream"
            form.append(name, try Self.body(value.text), filename: filename, contentType: type ?? other)
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

    private static func type(ofFileNamed name: String) -> String? {
        name.lastIndex(of: ".").flatMap { types[name[name.index(after: $0)...].lowercased()] }
    }
}
