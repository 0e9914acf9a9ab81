package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagesHoldCommentsDeclarationsAndLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lib/ball/ball.go": "// Package ball has balls; see [gosphere/lib/disk.Disk].\n//\n//\tV = 4/3 π r³\npackage ball\n\n// A Ball is round.\ntype Ball struct{ R float64 }\n\n" +
			"// Volume returns the volume of a [Ball].\nfunc (b *Ball) Volume() float64 { return b.r3() }\n\nfunc (b *Ball) r3() float64 { return 0 }\n",
		"lib/ball/ball_test.go":  "package ball\n",
		"lib/ball/other_card.go": "//go:build card\n\npackage ball\n\n// Hidden is for some builds.\nfunc Hidden() {}\n",
		"lib/disk/disk.go":       "// Package disk has disks.\npackage disk\n\n// A Disk is flat.\ntype Disk struct{}\n",
		"lib/tool/main.go":       "// Tool is a command.\npackage main\n\nfunc main() {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("out", []string{"lib"}); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("out", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := read("lib-ball.md")
	for _, want := range []string{
		"# lib/ball\n", "(lib-disk.md)", "\tV = 4/3 π r³", "### Ball\n\n```go\ntype Ball struct{ R float64 }\n```",
		"#### Ball.Volume\n\n```go\nfunc (b *Ball) Volume() float64\n```\n\nVolume returns the volume of a [Ball](#ball).",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "r3()") || strings.Contains(text, "Hidden") {
		t.Errorf("the page shows what users do not see:\n%s", text)
	}
	if index := read("index.md"); !strings.Contains(index, "| [lib/ball](lib-ball.md) | Package ball has balls") || strings.Contains(index, "tool") {
		t.Errorf("the index is\n%s", index)
	}
}
