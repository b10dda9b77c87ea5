import ArgumentParser

/// A number in decimal digits, as an argument. `Double` also accepts hexadecimal digits and names such as `inf`.
struct DecimalNumber: ExpressibleByArgument {
    let value: Double

    init?(argument: String) {
        guard argument.utf8.allSatisfy("0123456789.+-eE".utf8.contains), let value = Double(argument),
            value.isFinite
        else { return nil }
        self.value = value
    }
}
