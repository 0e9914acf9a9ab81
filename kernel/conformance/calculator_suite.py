"""jupyter_kernel_test's suite for the example of package kernel, whose language has numbers and texts."""
import jupyter_kernel_test


class CalculatorTests(jupyter_kernel_test.KernelTests):
    kernel_name = "calculator"
    language_name = "calculator"
    file_extension = ".calc"

    code_hello_world = '"hello, world"'
    complete_code_samples = ["1 + 2", ""]
    incomplete_code_samples = ["(1 + 2"]
    code_generate_error = "1 / 0"
    code_execute_result = [
        {"code": "1.0/3 + 1.0/6", "result": "1/2"},
        {"code": "1 << 70", "result": "1180591620717411303424"},
    ]
    code_history_pattern = "1 <*"
    supported_history_operations = ("tail", "range", "search")


class CalculatorWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "calculator"
    support_iopub_welcome = True
