package completion

import (
	"fmt"
	"io"
	"strings"
)

// writePowerShell prints a script for PowerShell 5.1 and later. Where it has nothing to offer,
// PowerShell completes files.
func writePowerShell(out io.Writer, name string, commands []command) error {
	var s strings.Builder
	s.WriteString(heading(name, "powershell", fmt.Sprintf("Use it with: %s completion powershell | Out-String | Invoke-Expression", name)))
	fmt.Fprintf(&s, "Register-ArgumentCompleter -Native -CommandName %s -ScriptBlock {\n", name)
	s.WriteString("    param($typed, $line, $position)\n    $words = @{\n")
	for _, c := range commands {
		var list []string
		for _, w := range c.words {
			list = append(list, powerShellEntry(w.name, w.help))
		}
		for _, argument := range c.args {
			list = append(list, powerShellEntry(argument, argument))
		}
		for _, f := range c.flags {
			for _, form := range f.names() {
				list = append(list, powerShellEntry(form, f.help))
			}
		}
		fmt.Fprintf(&s, "        '%s' = %s\n", c.path, powerShellList(list))
	}
	s.WriteString("    }\n    $values = @{\n")
	for _, c := range commands {
		for _, f := range c.flags {
			if !f.takes {
				continue
			}
			var list []string
			for _, value := range f.values {
				list = append(list, powerShellEntry(value, value))
			}
			for _, form := range f.names() {
				fmt.Fprintf(&s, "        %s = %s\n", quoted(c.path+" "+form, "''"), powerShellList(list))
			}
		}
	}
	s.WriteString(`    }
    $path = ''
    $elements = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
    foreach ($element in $elements | Select-Object -Skip 1) {
        if ($words.ContainsKey("$path/$element")) { $path = "$path/$element" }
    }
    $before = "$path $($elements[-1])"
    $offered = @(if ($values.ContainsKey($before)) { $values[$before] } else { $words[$path] })
    $offered | Where-Object { $_ -and $_[0].StartsWith($typed) } | ForEach-Object {
        $text = if ($_[0].Contains(' ')) { "'$($_[0])'" } else { $_[0] }
        [System.Management.Automation.CompletionResult]::new($text, $_[0], 'ParameterValue', $_[1])
    }
}
`)
	_, err := io.WriteString(out, s.String())
	return err
}

// powerShellEntry writes a word with its description as a pair. A description must not be empty.
func powerShellEntry(name, help string) string {
	if help == "" {
		help = name
	}
	return fmt.Sprintf("@(%s, %s)", quoted(name, "''"), quoted(help, "''"))
}

// powerShellList writes pairs as an array; a lone one needs a comma, or it would be taken for the
// array. The script collects them with @() for the same reason.
func powerShellList(pairs []string) string {
	if len(pairs) == 1 {
		return "@(," + pairs[0] + ")"
	}
	return "@(" + strings.Join(pairs, ", ") + ")"
}
