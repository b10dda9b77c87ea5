import ArgumentParser
import Freshet

/// The options for a body other than the fields of `-d`: JSON, a form with files, or a file. They have curl's names.
struct UploadOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "JSON as the body: data, @file, or - for standard input; several are joined.",
            discussion: "Content-Type and Accept are application/json, unless they are given.", valueName: "data"))
    var json: [BodyArgument] = []

    @Option(
        name: [.customShort("F"), .long], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field of a form with files: name=value, name=@file or name=<file, - for standard input; can be repeated.",
            discussion: ";type=TYPE and ;filename=NAME after the value describe it.", valueName: "field"))
    var form: [FormArgument] = []

    @Option(
        name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Send a file with PUT; - is standard input.", valueName: "file"), completion: .file())
    var uploadFiles: [String] = []

    /// The option that describes the body; `nil` without one.
    var option: String? { options.first }
    /// Whether any of the options is set.
    var isUsed: Bool { option != nil }

    private var options: [String] {
        [(!json.isEmpty, "--json"), (!form.isEmpty, "--form"), (!uploadFiles.isEmpty, "--upload-file")]
            .compactMap { $0 ? $1 : nil }
    }

    func validate() throws {
        if options.count > 1 {
            throw ValidationError("\(options.joined(separator: " and ")) each make a body; leave all but one out")
        }
        if uploadFiles.count > 1 {
            throw ValidationError("--upload-file sends one file; write it once, or send several requests with run")
        }
        try NamedFiles.check(uploadFiles.map { ("--upload-file", $0) })
        for field in form { try field.validate() }
    }

    /// Gives `request` the body, its method and the headers that describe it.
    func apply(to request: inout Request, on loop: Loop?) throws {
        if !json.isEmpty {
            request.method = .post
            request.body = try json.count == 1 ? json[0].body(on: loop) : .bytes(json.bytes(joinedBy: ""))
            for name in [HTTPField.Name.contentType, .accept] where request.headers[name] == nil {
                request.headers[name] = "application/json"
            }
        } else if !form.isEmpty {
            request.method = .post
            var parts = MultipartForm()
            for field in form { try field.append(to: &parts) }
            request.body = .multipart(parts)
        } else if let uploadFile = uploadFiles.first {
            request.method = .put
            request.body = try uploadFile == "-" ? BodyArgument("-", .data).body(on: loop) : .file(uploadFile)
            if uploadFile != "-", request.url.path.hasSuffix("/"), let name = uploadFile.split(separator: "/").last {
                request.url = try request.url.appending(path: [String(name)])
            }
        }
    }
}
