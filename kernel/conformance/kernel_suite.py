"""jupyter_kernel_test's suite with samples in Go."""
import jupyter_kernel_test


class GosphereTests(jupyter_kernel_test.KernelTests):
    kernel_name = "gosphere"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import (\n\t"fmt"\n\t"os"\n)\nfmt.Fprintln(os.Stderr, "test")'
    completion_samples = [
        {"text": "math.Cbr", "matches": {"Cbrt"}},
        {"text": 'import "strings"\nstrings.HasPre', "matches": {"HasPrefix"}},
        {"text": "retur", "matches": {"return"}},
    ]
    complete_code_samples = ["1 + 2", "x := 1", "func f(x int) int {\n\treturn x * 2\n}", "// only a comment", ""]
    incomplete_code_samples = ["func f(x int) int {", "fmt.Println(", "s := `abc", "x := 1 +", "/* open"]
    invalid_code_samples = ["}", "a b c d", "x := )"]
    code_page_something = "?math.Sqrt"
    code_generate_error = 'panic("boom")'
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[]int{1, 4, 9}", "result": "[1 4 9]"},
    ]
    code_display_data = [
        {"code": 'display.HTML("<b>bold</b>")', "mime": "text/html"},
        {"code": 'display.Markdown("**bold**")', "mime": "text/markdown"},
    ]
    code_clear_output = "display.Clear(false)"
    code_inspect_sample = "math.Sqrt"
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")


class GosphereWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "gosphere"
    support_iopub_welcome = True
