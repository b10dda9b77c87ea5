/// For tests that bind task-local values, and read them.
enum TaskLocals {
    @TaskLocal static var user = "nobody"
    @TaskLocal static var number = 0
}
